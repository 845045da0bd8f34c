//! The rules of the checks, each weakened.

/// A rule that is weakened: one expression of the checks, and what stands in its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mutation {
    /// What becomes of the rule.
    pub(crate) name: &'static str,
    /// The file in `src/check/`.
    pub(crate) file: &'static str,
    /// The expression, which is there once.
    pub(crate) rule: &'static str,
    /// The weaker one.
    pub(crate) weaker: &'static str,
    /// A test in `src/check/tests/` that notices.
    pub(crate) test: &'static str,
}

macro_rules! mutations {
    ($($file:literal { $($name:literal: $rule:literal => $weaker:literal, $test:literal;)* })*) => {
        /// Every mutation.
        pub(crate) const MUTATIONS: &[Mutation] = &[$($(Mutation {
            name: $name,
            file: $file,
            rule: $rule,
            weaker: $weaker,
            test: $test,
        },)*)*];
    };
}

mutations! {
    "order.rs" {
        "no barriers": "accesses.iter().any(|a| self.pending.iter().any(|b| meets(a, b)))" => "false", "order::lanes_wait_before_they_read_what_others_stored";
        "stores before loads need no barrier": "(a.write || b.write)" => "(a.write && b.write)", "order::lanes_wait_before_they_overwrite_what_others_read";
        "rounds do not meet": "self.put(f.index, &Poly::local(f.index).minus(&later))" => "{ drop(later); self.pending.clear() }", "order::rounds_of_a_loop_wait_for_each_other";
        "every loop runs": "!runs" => "false", "order::a_loop_that_may_not_run_leaves_its_barriers_undone";
        "what one branch accesses is forgotten": "self.also_pending(after_then)" => "drop(after_then)", "choices::only_branches_that_a_value_takes_meet";
        "loads come after stores under alias": "!disjoint(store, load)" => "false", "order::in_place_a_load_comes_before_the_store";
        "rounds of a lane do not come back": "!disjoint(&earlier, &later)" => "false", "order::in_place_a_lanes_own_block_is_loaded_before_it_is_stored";
    }
    "overlap.rs" {
        "a single round moves nothing": "still.then(|| self.base.plus(&self.span.0))" => "still.then(|| self.base.clone())", "order::a_loop_of_one_round_moves_an_element_all_the_same";
        "loops of any extent are dealt alike": "n == m && x.step == y.step && x.is_near(&y, &facts)" => "x.step == y.step && x.is_near(&y, &facts)", "order::loops_of_unlike_lengths_are_dealt_unlike";
        "steps need not be the same": "n == m && x.step == y.step && x.is_near(&y, &facts)" => "n == m && x.is_near(&y, &facts)", "overlap::one_element_of_equal_loops_is_one_work_items";
        "what lies before is near": "is_less(&Poly::default().minus(&least), &step, facts)" => "true", "overlap::neighbours_meet_and_are_not_one_work_item";
        "what lies behind is near": "is_less(&most, &step, facts)" => "true", "stride::a_loop_in_a_lane_steps_over_all_lanes";
        "any one lane is the same lane": "n == m && k == l" => "n == m", "overlap::one_lane_is_itself_in_every_equal_loop";
        "the group's loads are the leader's": "a.write && b.write" => "true", "overlap::the_group_reads_with_all_and_writes_with_one";
        "any distance keeps apart": "distance % step != 0" => "distance != 0", "overlap::even_and_odd_never_meet";
        "ranges may share their ends": "is_less(&a_high, &b_low, &facts) || is_less(&b_high, &a_low, &facts)" => "b_low.minus(&a_high).is_nonnegative_by(&facts) || a_low.minus(&b_high).is_nonnegative_by(&facts)", "overlap::halves_of_a_row_never_meet";
        "lanes may share their ends": "is_less(&width, &magnitude(&step), &self.uniform_facts())" => "magnitude(&step).minus(&width).is_nonnegative_by(&self.uniform_facts())", "footprint::a_lane_may_have_a_block_of_any_width";
        "all lanes may store to one element": "step == Poly::default()" => "return Ok(())", "footprint::lanes_keep_to_elements_of_their_own";
        "ends of loops may move": "moves(&span.0) || moves(&span.1)" => "false", "footprint::a_loop_that_differs_from_lane_to_lane_bounds_nothing";
        "conditions hold in all lanes": "!own.iter().any(|index| fact.depends_on(*index))" => "true", "footprint::lanes_under_opposite_conditions_run_at_the_same_time";
        "every loop steps over all lanes": "room.is_nonnegative_by(&self.uniform_facts())" => "{ drop(room); true }", "stride::a_loop_in_a_lane_steps_over_all_lanes";
        "conditions on inner loops bound outer ones": "inner.iter().any(|index| rest.depends_on(*index))" => "false", "footprint::lanes_are_in_rounds_of_their_own";
    }
    "access.rs" {
        "several lanes are one": "!differs" => "true", "footprint::a_condition_that_several_lanes_meet_leaves_more_than_one";
        "what hides an index stays the same": "known.unknown(others.collect())" => "{ drop(others); poly.clone() }", "order::what_is_found_in_data_is_another_number_in_each_round";
        "a load stands for a store": "(self.buffer, self.write) == (other.buffer, other.write)" => "self.buffer == other.buffer", "order::an_access_stands_for_those_of_its_own_kind_and_place";
        "one element stands for all": "(&self.index, &self.actor) == (&other.index, &other.actor)" => "self.actor == other.actor", "order::an_access_stands_for_those_of_its_own_kind_and_place";
        "one of two conditions is enough": "self.holds.iter().all(|fact| other.holds.contains(fact))" => "true", "order::one_access_under_two_conditions_happens_under_either";
    }
    "footprint.rs" {
        "lanes of one loop do not meet": "related && mine && !same_work_item(store, other) && !disjoint(store, other)" => "false", "footprint::lanes_keep_to_elements_of_their_own";
    }
    "known.rs" {
        "variables are the same in all rounds": "matches!(around, Around::Rounds(_)) || *at < depth" => "*at < depth", "poly::changing_variables_are_never_compared";
        "indices begin at 0": "!start.is_nonnegative()" => "false", "poly::an_index_that_starts_below_zero_is_no_size";
        "narrower types hold all numbers": "least <= low && high <= most" => "least <= low", "poly::casts_that_keep_the_value_are_looked_through";
    }
    "value.rs" {
        "loaded floats are the same everywhere": "self.unknown(index.locals().into_iter().chain(of_row).collect())" => "{ drop(of_row); self.unknown(BTreeSet::new()) }", "value::a_float_does_not_cancel";
        "what is written never changes": "!self.facts.fixed.contains(&place)" => "false", "value::what_is_loaded_again_may_have_been_stored";
        "what chooses a row is forgotten": "cond.clone()" => "Poly::atom(Atom::Rounds(0))", "value::a_choice_belongs_to_what_its_condition_depends_on";
    }
    "operation.rs" {
        "narrow sums do not wrap": "Some(_) => self.if_it_fits(value)" => "Some(_) => Some(value)", "value::a_number_is_at_least_0_by_what_it_is_made_of";
        "casts keep every number": "self.if_it_fits(a.clone())" => "Some(a.clone())", "value::text_that_is_equal_is_not_one_value_if_types_wrap";
        "remainders are not negative": "all_of(&self.operands[..1])" => "true", "value::a_number_is_at_least_0_by_what_it_is_made_of";
        "the smaller of two numbers is not negative": "all_of(&self.operands)" => "true", "value::a_number_is_at_least_0_by_what_it_is_made_of";
    }
    "rows.rs" {
        "what is written is read anywhere": "!written.iter().any(|w| kernel.may_alias(*w, access.buffer))" => "!access.write", "rows::groups_that_may_meet_are_refused";
        "groups may have two rows": "*other != own" => "false", "rows::groups_do_not_take_turns_with_rows";
        "a group alone is any group": "Owners::One(axis.first.clone())" => "Owners::One(Poly::default())", "group::groups_that_are_left_alone_do_not_share_a_row";
        "rows may be fewer than groups": "dim.stride == slope && dim.extent.minus(&axis.extent).is_nonnegative()" => "dim.stride == slope", "choice::a_branch_that_leaves_its_heads_is_refused";
        "conditions that differ between groups bound them": "!rest.locals().is_empty()" => "false", "rows::a_condition_that_differs_from_lane_to_lane_leaves_no_group_out";
        "groups may share a slot": "slope.as_constant().is_some_and(|step| step != 0)" => "slope.as_constant().is_some()", "choice::every_group_addresses_by_an_index_of_its_own";
        "slots may be negative": "!slot.is_nonnegative_by(&access.holds)" => "false", "choice::rows_are_addressed_through_data_where_they_are_guarded";
        "two slots are one": "own.by = Some(element)" => "drop(element)", "group::two_elements_of_the_indices_address_two_rows";
        "launchers know what a case takes for granted": "found.certain &= certain.contains(&found.buffer);" => "_ = (found, certain);", "choice::an_element_under_a_condition_may_not_be_there";
        "rows have elements under any condition": "access.certain" => "true", "choice::an_element_under_a_condition_may_not_be_there";
        "rows have no end": "holds(span.minus(high).minus(&Poly::constant(1)))" => "true", "rows::groups_that_may_meet_are_refused";
        "rows have one element more": "holds(span.minus(high).minus(&Poly::constant(1)))" => "holds(span.minus(high))", "rows::groups_that_may_meet_are_refused";
        "rows have no beginning": "holds(low.clone())" => "true", "rows::groups_that_may_meet_are_refused";
        "gaps belong to rows": "dim.stride == span" => "true", "rows::gaps_between_heads_are_no_part_of_a_row";
    }
    "mod.rs" {
        "aliased buffers never change": "!kernel.buffer(*id).mutable" => "{ let buffer = kernel.buffer(*id); !buffer.mutable || !buffer.aliases.is_empty() }", "order::in_place_a_number_is_the_same_until_it_is_stored";
        "no number is negative": "is_signed(id) && !sizes.contains(id)" => "{ let _ = is_signed(id); false }", "rows::a_number_that_no_launcher_checks_may_be_negative";
    }
    "accumulator.rs" {
        "sums start anywhere": "!zero" => "false", "accumulator::a_sum_starts_at_zero";
        "one variable is gathered in two ways": "first != reduce" => "false", "accumulator::a_variable_is_gathered_in_one_way";
    }
}
