//! Texts with something wrong in them, or something moved: lines and words of real modules, and the braces, comments and
//! strings that an outline depends on.

/// A linear congruential generator: the same damage every time.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

/// What is put between the words of a text.
const INSERTED: [&str; 24] = [
    "{",
    "}",
    "{ }",
    "/*",
    "*/",
    "/* } */",
    "// {",
    "// }\n",
    "\"",
    "\"}\"",
    "#",
    "\n# 1 \"}\"\n",
    ";",
    ".visible",
    ".extern .func f;",
    ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);",
    ".global .u32 g;",
    ".global .align 4 .b8 %r[4] = {1, 2};",
    ".shared .u32 s<4>;",
    ".entry e { ret; }",
    ".func f { ret; }",
    ".alias f, g;",
    ".pragma \"nounroll\";",
    ".version 8.0",
];

pub fn damage(source: &str, other: &str, random: &mut Random) -> String {
    let mut lines: Vec<String> = source.lines().map(str::to_owned).collect();
    let others: Vec<&str> = other.lines().collect();
    for _ in 0..=random.below(3) {
        let at = random.below(lines.len());
        let Some(line) = lines.get(at).cloned() else { break };
        match random.below(7) {
            0 => drop(lines.remove(at)),
            1 => lines.insert(random.below(lines.len()), line),
            2 => lines.insert(at, others.get(random.below(others.len())).copied().unwrap_or("").to_owned()),
            3 => {
                let (from, to) = (random.below(lines.len()), random.below(lines.len()));
                lines.swap(from, to);
            }
            4 => {
                let first = random.below(lines.len());
                let count = random.below(30).min(lines.len() - first);
                let moved: Vec<String> = lines.drain(first..first + count).collect();
                let to = random.below(lines.len() + 1);
                lines.splice(to..to, moved);
            }
            5 => {
                let mut words: Vec<&str> = line.split_inclusive(' ').collect();
                let (a, b) = (random.below(words.len()), random.below(words.len()));
                if !words.is_empty() {
                    words.swap(a, b);
                }
                lines[at] = words.concat();
            }
            _ => {
                let mut words: Vec<&str> = line.split_inclusive(' ').collect();
                words.insert(random.below(words.len() + 1), INSERTED[random.below(INSERTED.len())]);
                lines[at] = words.join(" ");
            }
        }
    }
    lines.join("\n")
}
