//! SPIR-V modules, instruction by instruction.
//!
//! To pass over an instruction only its length is needed, so whatever is not looked at may be anything: an instruction of
//! an extension, or a constant of an integer type that the optimiser made up, 33 bits wide.

/// Words before the first instruction.
const HEADER: usize = 5;

/// A module's words.
pub(super) struct Code(Vec<u32>);

/// An instruction: what it does, and the words that follow.
pub(super) struct Instruction<'a> {
    pub(super) op: u32,
    pub(super) operands: &'a [u32],
}

impl Code {
    /// The module in `bytes`, in the byte order of this machine; none if they are no whole SPIR-V module.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let (words, []) = bytes.as_chunks::<4>() else {
            return None;
        };
        let code = Self(words.iter().map(|word| u32::from_le_bytes(*word)).collect());
        let mut rest = code.0.get(HEADER..)?;
        while let Some(first) = rest.first() {
            rest = match first >> 16 {
                0 => return None,
                length => rest.get(length as usize..)?,
            };
        }
        (code.0[0] == ::spirv::MAGIC_NUMBER).then_some(code)
    }

    /// The words before the first instruction.
    pub(super) fn header(&self) -> &[u32] {
        &self.0[..HEADER]
    }

    /// All instructions in order.
    pub(super) fn instructions(&self) -> impl Iterator<Item = Instruction<'_>> {
        let mut rest = &self.0[HEADER..];
        std::iter::from_fn(move || {
            let first = *rest.first()?;
            let (instruction, others) = rest.split_at((first >> 16) as usize);
            rest = others;
            Some(Instruction {
                op: first & 0xffff,
                operands: &instruction[1..],
            })
        })
    }
}

impl Instruction<'_> {
    /// Appends its words to `words`.
    pub(super) fn write(&self, words: &mut Vec<u32>) {
        words.push((1 + self.operands.len() as u32) << 16 | self.op);
        words.extend(self.operands);
    }
}

/// The text at the start of `operands`, and what follows it.
pub(super) fn text(operands: &[u32]) -> Option<(String, &[u32])> {
    let bytes: Vec<u8> = operands.iter().flat_map(|word| word.to_le_bytes()).collect();
    let end = bytes.iter().position(|&byte| byte == 0)?;
    let text = String::from_utf8(bytes[..end].to_vec()).ok()?;
    Some((text, &operands[end / 4 + 1..]))
}

/// `text` as operands: with a zero at its end, and filled up to whole words.
pub(super) fn literal(text: &str) -> Vec<u32> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize((bytes.len() / 4 + 1) * 4, 0);
    let (words, _) = bytes.as_chunks::<4>();
    words.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_end_with_a_zero() {
        for name in ["", "abc", "abcd", "_ZTSN1a1KE"] {
            let words = [literal(name), vec![7, 8]].concat();
            assert_eq!(text(&words), Some((name.to_owned(), [7, 8].as_slice())));
        }
        assert_eq!(text(&[u32::MAX]), None);
    }

    #[test]
    fn only_whole_modules_are_read() {
        let module = |words: &[u32]| {
            let header = [::spirv::MAGIC_NUMBER, 0x0001_0400, 0, 9, 0];
            let words = [header.as_slice(), words].concat();
            words
                .iter()
                .flat_map(|word| word.to_le_bytes())
                .collect::<Vec<u8>>()
        };
        let unknown = module(&[3 << 16 | 0xfffe, 1, 2, 1 << 16]);
        let code = Code::read(&unknown).unwrap();
        let ops: Vec<u32> = code.instructions().map(|instruction| instruction.op).collect();
        assert_eq!(ops, [0xfffe, 0]);
        assert!(Code::read(&unknown[..unknown.len() - 1]).is_none());
        assert!(Code::read(&module(&[3 << 16, 1])).is_none(), "its end is missing");
        assert!(Code::read(&module(&[0, 1])).is_none(), "no instruction is empty");
        assert!(Code::read(&unknown[4..]).is_none(), "no magic number");
    }
}
