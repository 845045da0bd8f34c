//! One case: run natively, run on the device, compared.

use std::panic::{AssertUnwindSafe, catch_unwind};

use oxysycl_codegen::Indices;
use oxysycl_codegen::eval::{self, Values};
use oxysycl_codegen::ir::{DType, Element, Kernel as Ir, ParamId};
use oxysycl_runtime::{DeviceKind, MemoryError, Queue};

use super::case::Case;
use super::data::Filling;
use super::draw::aliases;
use super::judge::Unsigned;
use super::memory::{At, Expected, Judgement, Memory, Place, Wrong, memory};
use crate::argument::{DeviceArgument, HostArgument};
use crate::kernel::{Native, Variant};
use crate::launch::{LaunchError, shape, shaped_for_gpu};
use crate::native::{Library, Side, computed_by, decide, shuffle};

/// Launches of a repeated case after the first.
const REPEATS: usize = 10;
/// Cases with as many elements or fewer are repeated, and run shuffled as well.
const FEW: u64 = 1 << 15;

/// A launch of the kernel for a case, with all arguments in order.
pub(crate) type Launch<'a> = &'a dyn Fn(&Case, &[DeviceArgument<'_>]) -> Result<(), Trouble>;

/// A kernel with its element types chosen.
pub(super) struct Subject<'a> {
    pub(super) ir: &'a Ir,
    pub(super) variant: &'a Variant,
    /// What launches it.
    pub(super) launch: Launch<'a>,
    /// Whether the device must give the bits of the native function.
    pub(super) exact: bool,
    /// Whose functions the device computes with.
    pub(super) library: Library,
    /// Signs that do not count then.
    pub(super) unsigned: Unsigned,
    /// Its buffers of indices.
    pub(super) indices: Vec<Indices>,
}

/// What came of a case.
#[derive(Clone, Debug, Default)]
pub(super) struct Outcome {
    /// Elements compared.
    pub(super) elements: u64,
    /// Those among them whose bound leaves few digits.
    pub(super) rough: u64,
    /// The largest error on the device, in units in the last place, and where.
    pub(super) worst: Option<(f64, String)>,
    /// The first thing that is wrong.
    pub(super) wrong: Option<String>,
}

/// Why a case has no outcome.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Trouble {
    /// It could not be compiled or loaded.
    #[error("{0}")]
    Unloaded(String),
    /// The launch failed.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// The device has no memory for it, or failed.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The function itself panicked.
    #[error("run natively, it panics: {0}")]
    Panic(String),
}

/// The memory of a case, and which part of it each parameter uses.
struct Buffers {
    memories: Vec<Box<dyn Memory>>,
    /// By parameter; `None` for scalars.
    of: Vec<Option<usize>>,
}

/// Results of a kernel's function or one of its twins.
struct Results {
    arguments: Vec<HostArgument>,
}

impl Subject<'_> {
    /// Runs `case` and compares.
    pub(super) fn run(&self, case: &Case, queue: &Queue) -> Result<Outcome, Trouble> {
        let mut buffers = self.buffers(case)?;
        let bounds = if self.exact {
            self.variant.native
        } else {
            self.variant.shadow
        };
        let references = self.references(case, &buffers, bounds)?;
        let mut outcome = Outcome::default();
        if buffers.elements(self.ir, case) <= FEW {
            self.judge_shuffled(case, &buffers, &references, &mut outcome)?;
        }
        self.run_on_device(case, &mut buffers, &references, queue, &mut outcome)?;
        if queue.device().kind == DeviceKind::Cpu {
            shaped_for_gpu(|| self.run_on_device(case, &mut buffers, &references, queue, &mut outcome))?;
        }
        Ok(outcome)
    }

    fn run_on_device(
        &self,
        case: &Case,
        buffers: &mut Buffers,
        references: &[Results],
        queue: &Queue,
        outcome: &mut Outcome,
    ) -> Result<(), Trouble> {
        buffers
            .memories
            .iter_mut()
            .try_for_each(|memory| memory.upload(queue))?;
        self.launch(case, buffers)?;
        for memory in &mut buffers.memories {
            memory.observe()?;
        }
        self.judge_device(buffers, references, outcome);
        if outcome.wrong.is_none() && buffers.elements(self.ir, case) <= FEW && !case.layout.in_place {
            self.repeat(case, buffers, queue, outcome)?;
        }
        Ok(())
    }

    fn buffers(&self, case: &Case) -> Result<Buffers, LaunchError> {
        let values = case.values();
        let mut buffers = Buffers {
            memories: Vec::new(),
            of: vec![None; self.ir.params.len()],
        };
        for (id, buffer) in self.ir.buffers() {
            let mut extents = shape::extents(self.ir, id, buffer, &values)?;
            if case.absent.contains(&id) {
                extents.iter_mut().for_each(|extent| extent.count = 0);
            }
            let place = Place {
                extents: extents.into_vec(),
                shifted: case.layout.shifted,
            };
            buffers.of[id] = Some(buffers.memories.len());
            let seed = case.seed.wrapping_mul(31).wrapping_add(id as u64);
            let filling = self.filling(id, &values);
            buffers
                .memories
                .push(memory(self.dtype(buffer.element), place, seed, filling));
        }
        if case.layout.in_place {
            let given = |(_, input): &(ParamId, ParamId)| !case.absent.contains(input);
            for (output, input) in aliases(self.ir).into_iter().filter(given) {
                buffers.of[output] = buffers.of[input];
            }
        }
        Ok(buffers)
    }

    fn filling(&self, id: ParamId, values: &Values) -> Filling {
        let Some(indices) = self.indices.iter().find(|indices| indices.buffer == id) else {
            return Filling::Numbers { exact: self.exact };
        };
        let rows = eval::integer(&indices.rows, values).unwrap_or(0);
        if indices.distinct {
            Filling::Distinct {
                rows,
                guarded: indices.guarded,
            }
        } else {
            Filling::Indices {
                rows,
                guarded: indices.guarded,
            }
        }
    }

    fn dtype(&self, element: Element) -> DType {
        match element {
            Element::DType(dtype) => dtype,
            Element::Param(id) => self.variant.dtypes[id],
        }
    }

    /// What is right: the results of the function, or of its shadow, once for each way that its decisions may go.
    fn references(&self, case: &Case, buffers: &Buffers, twin: Native) -> Result<Vec<Results>, Trouble> {
        let native = || self.native(case, buffers, twin, !self.exact);
        let run = |side| computed_by(self.library, || decide(side, native));
        let (results, open) = run(Side::Value);
        let mut references = vec![results?];
        if open {
            // A side may lead where the function panics, as no device can.
            let others = [Side::Least, Side::Most].map(|side| run(side).0);
            references.extend(others.into_iter().flatten());
        }
        Ok(references)
    }

    /// Runs the function or a twin of it on copies of the buffers.
    fn native(&self, case: &Case, buffers: &Buffers, twin: Native, shadow: bool) -> Result<Results, Trouble> {
        let argument = |id: ParamId| match (buffers.of[id], case.scalars[id]) {
            (Some(at), _) if shadow => buffers.memories[at].shadow(),
            (Some(at), _) => buffers.memories[at].host(),
            (None, Some(scalar)) => HostArgument::Scalar(scalar),
            (None, None) => unreachable!("every parameter is a buffer or a scalar"),
        };
        let mut arguments: Vec<HostArgument> = (0..self.ir.params.len()).map(argument).collect();
        let run = AssertUnwindSafe(|| twin(&case.consts, &mut arguments));
        catch_unwind(run).map_err(|panic| Trouble::Panic(panic_text(&*panic)))?;
        Ok(Results { arguments })
    }

    fn launch(&self, case: &Case, buffers: &Buffers) -> Result<(), Trouble> {
        let argument = |id: ParamId| match (buffers.of[id], case.scalars[id]) {
            (Some(at), _) => buffers.memories[at].device(),
            (None, Some(scalar)) => Ok(DeviceArgument::Scalar(scalar)),
            (None, None) => unreachable!("every parameter is a buffer or a scalar"),
        };
        let arguments: Vec<DeviceArgument<'_>> = (0..self.ir.params.len())
            .map(argument)
            .collect::<Result<_, _>>()?;
        (self.launch)(case, &arguments)
    }

    /// What must be in the memory `at`: the results of the parameter that writes it.
    fn expected<'r>(&self, buffers: &Buffers, at: usize, references: &'r [Results]) -> Expected<'r> {
        let writer = self
            .ir
            .buffers()
            .find(|(id, buffer)| buffer.mutable && buffers.of[*id] == Some(at));
        match writer {
            None => Expected::Unchanged,
            Some((id, _)) if self.exact => Expected::Bits(&references[0].arguments[id], self.unsigned),
            Some((id, _)) => {
                Expected::Bounds(references.iter().map(|results| &results.arguments[id]).collect())
            }
        }
    }

    fn judge_device(&self, buffers: &Buffers, references: &[Results], outcome: &mut Outcome) {
        for (id, buffer) in self.ir.buffers() {
            let Some(at) = buffers.of[id] else { continue };
            let judgement = buffers.memories[at].judge(self.expected(buffers, at, references));
            let name = &self.ir.params[id].name;
            if buffer.mutable {
                outcome.add(name, &judgement);
            }
            outcome.fail(name, judgement.wrong);
        }
    }

    /// The shuffled twin keeps to what the device is held to.
    fn judge_shuffled(
        &self,
        case: &Case,
        buffers: &Buffers,
        references: &[Results],
        outcome: &mut Outcome,
    ) -> Result<(), Trouble> {
        let results = shuffle(case.seed, || {
            self.native(case, buffers, self.variant.shuffled, false)
        });
        let results = match results {
            // The function itself did not.
            Err(Trouble::Panic(panic)) => {
                outcome
                    .wrong
                    .get_or_insert(format!("with shuffled lanes, natively, it panics: {panic}"));
                return Ok(());
            }
            results => results?,
        };
        for (id, _) in self.ir.buffers().filter(|(_, buffer)| buffer.mutable) {
            if let Some(at) = buffers.of[id] {
                let expected = self.expected(buffers, at, references);
                let judgement = buffers.memories[at].judge_native(&results.arguments[id], expected);
                let what = format!("with shuffled lanes, natively, {}", self.ir.params[id].name);
                outcome.fail(&what, judgement.wrong);
            }
        }
        Ok(())
    }

    /// Launches again and again: the bits must stay the same. A race that one run hides shows here.
    fn repeat(
        &self,
        case: &Case,
        buffers: &mut Buffers,
        queue: &Queue,
        outcome: &mut Outcome,
    ) -> Result<(), Trouble> {
        for _ in 0..REPEATS {
            buffers
                .memories
                .iter_mut()
                .try_for_each(|memory| memory.upload(queue))?;
            self.launch(case, buffers)?;
            for memory in &mut buffers.memories {
                if !memory.observe()? && outcome.wrong.is_none() {
                    outcome.wrong =
                        Some("a repeated launch on the same arguments gave other bits".to_owned());
                }
            }
        }
        Ok(())
    }
}

impl Buffers {
    fn elements(&self, ir: &Ir, case: &Case) -> u64 {
        let values = case.values();
        let count = |(id, buffer)| {
            let extents = shape::extents(ir, id, buffer, &values).unwrap_or_default();
            extents.iter().map(|extent| extent.count as u64).product::<u64>()
        };
        ir.buffers().map(count).max().unwrap_or(0)
    }
}

impl Outcome {
    fn add(&mut self, buffer: &str, judgement: &Judgement) {
        self.elements += judgement.elements;
        self.rough += judgement.rough;
        if let Some((ulps, index)) = &judgement.worst
            && *ulps > self.worst.as_ref().map_or(0.0, |(worst, _)| *worst)
        {
            self.worst = Some((*ulps, format!("{buffer}{index:?}")));
        }
    }

    fn fail(&mut self, buffer: &str, wrong: Option<Wrong>) {
        let Some(Wrong { at, expected, found }) = wrong else {
            return;
        };
        let place = match at {
            At::Inside(index) => format!("{buffer}{index:?}"),
            At::Outside(distance) => {
                format!("memory {distance} elements from the start of {buffer}, outside its shape,")
            }
        };
        self.wrong
            .get_or_insert(format!("{place} is {found}; expected {expected}"));
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("without a message")
        .to_owned()
}
