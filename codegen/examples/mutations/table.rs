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
}

macro_rules! mutations {
    ($($file:literal { $($name:literal: $rule:literal => $weaker:literal,)* })*) => {
        /// Every mutation.
        pub(crate) const MUTATIONS: &[Mutation] = &[$($(Mutation {
            name: $name,
            file: $file,
            rule: $rule,
            weaker: $weaker,
        },)*)*];
    };
}

mutations! {
    "order.rs" {
        "no barriers": "accesses.iter().any(|a| self.pending.iter().any(|b| meets(a, b)))" => "false",
        "stores before loads need no barrier": "(a.write || b.write)" => "(a.write && b.write)",
        "rounds do not meet": "self.put(f.index, &Poly::local(f.index).minus(&later))" => "{ drop(later); self.pending.clear() }",
        "every loop runs": "!runs" => "false",
        "what one branch accesses is forgotten": "self.also_pending(after_then)" => "drop(after_then)",
        "loads come after stores under alias": "!disjoint(store, load)" => "false",
        "rounds of a lane do not come back": "!disjoint(&earlier, &later)" => "false",
    }
    "overlap.rs" {
        "a single round moves nothing": "still.then(|| self.base.plus(&self.span.0))" => "still.then(|| self.base.clone())",
        "loops of any extent are dealt alike": "n == m && x.step == y.step && x.is_near(&y, &facts)" => "x.step == y.step && x.is_near(&y, &facts)",
        "steps need not be the same": "n == m && x.step == y.step && x.is_near(&y, &facts)" => "n == m && x.is_near(&y, &facts)",
        "what lies before is near": "is_less(&Poly::default().minus(&least), &step, facts)" => "true",
        "what lies behind is near": "is_less(&most, &step, facts)" => "true",
        "any one lane is the same lane": "n == m && k == l" => "n == m",
        "the group's loads are the leader's": "a.write && b.write" => "true",
        "any distance keeps apart": "distance % step != 0" => "distance != 0",
        "ranges may share their ends": "is_less(&a_high, &b_low, &facts) || is_less(&b_high, &a_low, &facts)" => "b_low.minus(&a_high).is_nonnegative_by(&facts) || a_low.minus(&b_high).is_nonnegative_by(&facts)",
        "lanes may share their ends": "is_less(&width, &magnitude(&step), &self.uniform_facts())" => "magnitude(&step).minus(&width).is_nonnegative_by(&self.uniform_facts())",
        "all lanes may store to one element": "step == Poly::default()" => "return Ok(())",
        "ends of loops may move": "moves(&span.0) || moves(&span.1)" => "false",
        "conditions hold in all lanes": "!own.iter().any(|index| fact.depends_on(*index))" => "true",
        "every loop steps over all lanes": "room.is_nonnegative_by(&self.uniform_facts())" => "{ drop(room); true }",
        "conditions on inner loops bound outer ones": "inner.iter().any(|index| rest.depends_on(*index))" => "false",
    }
    "access.rs" {
        "several lanes are one": "!differs" => "true",
        "what hides an index stays the same": "known.unknown(others.collect())" => "{ drop(others); poly.clone() }",
    }
    "footprint.rs" {
        "lanes of one loop do not meet": "related && mine && !same_work_item(store, other) && !disjoint(store, other)" => "false",
    }
    "known.rs" {
        "variables are the same in all rounds": "matches!(around, Around::Rounds(_)) || *at < depth" => "*at < depth",
        "indices begin at 0": "!start.is_nonnegative()" => "false",
        "narrower types hold all numbers": "least <= low && high <= most" => "least <= low",
    }
    "value.rs" {
        "loaded floats are the same everywhere": "self.unknown(index.locals().into_iter().chain(of_row).collect())" => "{ drop(of_row); self.unknown(BTreeSet::new()) }",
        "what is written never changes": "!self.facts.fixed.contains(&place)" => "false",
        "what chooses a row is forgotten": "cond.clone()" => "Poly::atom(Atom::Rounds(0))",
    }
    "operation.rs" {
        "narrow sums do not wrap": "Some(_) => self.if_it_fits(value)" => "Some(_) => Some(value)",
        "casts keep every number": "self.if_it_fits(a.clone())" => "Some(a.clone())",
        "remainders are not negative": "all_of(&self.operands[..1])" => "true",
        "the smaller of two numbers is not negative": "all_of(&self.operands)" => "true",
    }
    "rows.rs" {
        "what is written is read anywhere": "!written.iter().any(|w| kernel.may_alias(*w, access.buffer))" => "!access.write",
        "groups may have two rows": "*other != own" => "false",
        "a group alone is any group": "Owners::One(axis.first.clone())" => "Owners::One(Poly::default())",
        "rows may be fewer than groups": "dim.stride == slope && dim.extent.minus(&axis.extent).is_nonnegative()" => "dim.stride == slope",
        "conditions that differ between groups bound them": "!rest.locals().is_empty()" => "false",
        "groups may share a slot": "slope.as_constant().is_some_and(|step| step != 0)" => "slope.as_constant().is_some()",
        "slots may be negative": "!slot.is_nonnegative_by(&access.holds)" => "false",
        "two slots are one": "own.by = Some(element)" => "drop(element)",
        "rows have elements under any condition": "access.certain" => "true",
        "rows have no end": "holds(span.minus(high).minus(&Poly::constant(1)))" => "true",
        "rows have one element more": "holds(span.minus(high).minus(&Poly::constant(1)))" => "holds(span.minus(high))",
        "rows have no beginning": "holds(low.clone())" => "true",
        "gaps belong to rows": "dim.stride == span" => "true",
    }
    "mod.rs" {
        "no number is negative": "is_signed(id) && !sizes.contains(id)" => "{ let _ = is_signed(id); false }",
        "aliased buffers never change": "!kernel.buffer(*id).mutable && !aliased(*id)" => "{ let _ = aliased(*id); !kernel.buffer(*id).mutable }",
    }
    "accumulator.rs" {
        "sums start anywhere": "!zero" => "false",
        "one variable is gathered in two ways": "first != reduce" => "false",
    }
}
