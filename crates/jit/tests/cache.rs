//! What is kept of a compilation is found again, whatever else lies in the folder; and what is not ours or not whole is
//! not used.
#![allow(unsafe_code)]

mod llvm;

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use llvm::{compiler, function};
use ptxvm_jit::CodeCache;
use ptxvm_jit::llvm::{Compiler, Effort, Level, Target};

const MEGABYTE: u64 = 1 << 20;
const HOUR: Duration = Duration::from_secs(60 * 60);

/// A function that returns a number.
fn module(number: u32) -> String {
    format!("define i32 @number() {{ ret i32 {number} }}\n")
}

/// A place for one test, where nothing is yet.
fn place(name: &str) -> PathBuf {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cache-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&place);
    place
}

/// A compiler that keeps code in a folder, and what it has told. None where there is no libLLVM.
fn keeping(folder: &Path, bound: u64, named: bool) -> Option<(Compiler, Arc<Mutex<Vec<String>>>)> {
    let told = Arc::<Mutex<Vec<String>>>::default();
    let tell = {
        let told = Arc::clone(&told);
        move |why: &str| told.lock().expect("nobody has panicked").push(why.to_owned())
    };
    let cache = CodeCache::new(folder.to_owned(), bound, named, tell);
    Some((compiler(Target::default())?.keeping(Arc::new(cache)), told))
}

/// Compiles such a function, runs it, and says whether it was kept. What is to be kept is so when this returns.
fn number(compiler: &Compiler, number: u32) -> bool {
    let compiled = compiler.compile(&module(number), "", &[]).expect("code");
    // SAFETY: the function takes nothing and returns a number.
    let function: extern "C" fn() -> u32 = unsafe { function(&compiled, "number") };
    assert_eq!(function(), number);
    // The compiler's thread does one thing after another.
    compiler.emit_assembly(&module(number), "").expect("assembly");
    compiled.is_kept()
}

/// The files in a folder, in the order of their names.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort_unstable();
    files
}

/// The one file in a folder.
fn only_file(folder: &Path) -> PathBuf {
    let mut files = files(folder);
    assert_eq!(files.len(), 1, "{files:?}");
    files.remove(0)
}

fn set_age(file: &Path, age: Duration) {
    let file = File::options().write(true).open(file).expect("the file is there");
    file.set_modified(SystemTime::now() - age).expect("its time can be set");
}

fn age(file: &Path) -> Duration {
    let used = file.metadata().and_then(|about| about.modified()).expect("the file is there");
    SystemTime::now().duration_since(used).unwrap_or_default()
}

#[test]
fn another_compiler_finds_what_one_has_made() {
    let folder = place("found").join("deeper");
    let Some((first, told)) = keeping(&folder, MEGABYTE, true) else { return };
    assert!(first.find(&module(7), "", &[]).is_none());
    assert!(!number(&first, 7));
    assert!(number(&first, 7), "the same compiler finds it too");
    let (second, _) = keeping(&folder, MEGABYTE, true).expect("as before");
    assert!(number(&second, 7) && !number(&second, 8));
    assert!(second.find(&module(8), "", &[]).is_some_and(|found| found.is_kept()));
    assert_eq!(files(&folder).len(), 2);
    assert_eq!(*told.lock().expect("nobody has panicked"), [""; 0]);
    let mode = |path: &Path| path.metadata().expect("it is there").mode() & 0o777;
    assert_eq!((mode(&folder), mode(&files(&folder)[0])), (0o700, 0o600));
}

#[test]
fn whatever_matters_makes_another_file() {
    let folder = place("matters");
    let targets = [
        Target::default(),
        Target { level: Level::Baseline, ..Target::default() },
        Target { effort: Effort::None, ..Target::default() },
    ];
    for target in targets {
        let Some(compiler) = compiler(target) else { return };
        let compiler = compiler.keeping(Arc::new(CodeCache::new(folder.clone(), MEGABYTE, true, |_| ())));
        assert!(!number(&compiler, 7), "{target:?}");
        let compiled = compiler.compile(&module(7), "default<O1>", &[]).expect("code");
        assert!(!compiled.is_kept());
        assert!(number(&compiler, 7));
    }
    assert_eq!(files(&folder).len(), 6);
}

#[test]
fn what_is_not_whole_is_absent_and_replaced() {
    let folder = place("damaged");
    let Some((compiler, told)) = keeping(&folder, MEGABYTE, true) else { return };
    assert!(!number(&compiler, 7));
    let file = only_file(&folder);
    let whole = fs::read(&file).expect("it can be read");
    number(&compiler, 8);
    let other = files(&folder).into_iter().find(|path| *path != file).expect("a second file");
    let other = fs::read(other).expect("it can be read");
    let flipped = |at: usize| {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        bytes
    };
    let end = whole.len() - 1;
    let wrong = [
        Vec::new(),
        b"something else".to_vec(),
        whole[..end].to_vec(),
        whole[..40].to_vec(),
        [&whole[..], b"more"].concat(),
        other,
        flipped(0),
        flipped(9),
        flipped(20),
        flipped(45),
        flipped(60),
        flipped(100),
        flipped(end),
    ];
    for (case, bytes) in wrong.into_iter().enumerate() {
        fs::write(&file, bytes).expect("it can be written");
        assert!(!number(&compiler, 7), "case {case}");
        assert_eq!(fs::read(&file).expect("it can be read"), whole, "case {case}");
        assert!(number(&compiler, 7), "case {case}");
    }
    assert_eq!(*told.lock().expect("nobody has panicked"), [""; 0]);
}

#[test]
fn a_file_that_others_could_have_made_is_absent_and_replaced() {
    let folder = place("foreign");
    let Some((compiler, _)) = keeping(&folder, MEGABYTE, true) else { return };
    assert!(!number(&compiler, 7));
    let file = only_file(&folder);
    // Others may write to it.
    fs::set_permissions(&file, Permissions::from_mode(0o620)).expect("it is ours");
    assert!(!number(&compiler, 7) && number(&compiler, 7));
    assert_eq!(file.metadata().expect("it is there").mode() & 0o777, 0o600);
    // A link to a file that would do.
    let elsewhere = place("elsewhere");
    fs::rename(&file, &elsewhere).expect("it can be moved");
    symlink(&elsewhere, &file).expect("a link");
    assert!(!number(&compiler, 7) && number(&compiler, 7));
    assert!(fs::symlink_metadata(&file).expect("it is there").is_file());
    // Only root can give a file away.
    if std::os::unix::fs::chown(&file, Some(12345), None).is_ok() {
        assert!(!number(&compiler, 7) && number(&compiler, 7));
    }
    // Nobody writes to this pipe, and nobody waits for it.
    fs::remove_file(&file).expect("it is ours");
    let made = std::process::Command::new("mkfifo").arg(&file).status();
    assert!(made.is_ok_and(|status| status.success()));
    assert!(!number(&compiler, 7) && number(&compiler, 7));
}

#[test]
fn a_folder_that_others_may_write_to_is_told_of_once_and_not_used() {
    let folder = place("open");
    let Some((compiler, told)) = keeping(&folder, MEGABYTE, false) else { return };
    fs::create_dir(&folder).expect("a folder");
    fs::set_permissions(&folder, Permissions::from_mode(0o770)).expect("it is ours");
    for round in 0..3 {
        assert!(!number(&compiler, round) && !number(&compiler, round));
    }
    assert_eq!(files(&folder), Vec::<PathBuf>::new());
    let told = told.lock().expect("nobody has panicked").clone();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("others may write to it") && told[0].contains(folder.to_str().expect("text")));
}

#[test]
fn a_folder_that_cannot_be_made_matters_to_who_has_named_it() {
    let file = place("file");
    fs::write(&file, "no folder").expect("it can be written");
    for named in [true, false] {
        for folder in [&file, &file.join("below")] {
            let Some((compiler, told)) = keeping(folder, MEGABYTE, named) else { return };
            assert!(!number(&compiler, 7) && !number(&compiler, 7));
            assert_eq!(told.lock().expect("nobody has panicked").len(), usize::from(named), "{folder:?}");
        }
    }
}

#[test]
fn a_folder_that_is_removed_is_made_again() {
    let folder = place("removed");
    let Some((compiler, told)) = keeping(&folder, MEGABYTE, true) else { return };
    for _ in 0..3 {
        assert!(!number(&compiler, 7) && number(&compiler, 7));
        fs::remove_dir_all(&folder).expect("it was made");
    }
    assert_eq!(*told.lock().expect("nobody has panicked"), [""; 0]);
}

#[test]
fn use_is_noted_once_an_hour() {
    let folder = place("used");
    let Some((compiler, _)) = keeping(&folder, MEGABYTE, true) else { return };
    number(&compiler, 7);
    let file = only_file(&folder);
    set_age(&file, HOUR / 2);
    assert!(number(&compiler, 7) && age(&file) >= HOUR / 2);
    set_age(&file, HOUR * 2);
    assert!(number(&compiler, 7) && age(&file) < HOUR / 2);
}

#[test]
fn the_bound_is_kept_and_what_is_used_stays() {
    let folder = place("bound");
    let Some((compiler, _)) = keeping(&folder, MEGABYTE, true) else { return };
    number(&compiler, 0);
    let favourite = only_file(&folder);
    let size = favourite.metadata().expect("it is there").len();
    let bound = 32 * size + size / 2;
    let sum = || files(&folder).iter().map(|file| file.metadata().expect("it is there").len()).sum::<u64>();
    // Each is a process of its own to the cache: who writes first looks at the sum.
    let mut most = 0;
    for round in 1..=100 {
        for file in files(&folder).iter().filter(|file| **file != favourite) {
            set_age(file, age(file) + HOUR);
        }
        let (compiler, _) = keeping(&folder, bound, true).expect("as before");
        assert!(number(&compiler, 0), "round {round}");
        assert!(!number(&compiler, round));
        assert!(sum() <= bound, "round {round}: {} of {bound}", sum());
        most = most.max(sum());
    }
    assert!(most > bound / 2, "{most} of {bound}");
    // One process looks now and then: it goes over the bound by a sixteenth, and by the file that it has just written.
    let (compiler, _) = keeping(&folder, bound, true).expect("as before");
    for round in 101..=200 {
        number(&compiler, round);
        assert!(sum() <= bound + bound / 16 + 2 * size, "round {round}: {} of {bound}", sum());
    }
    // What would take most of it is not kept.
    let (compiler, _) = keeping(&place("small"), size, true).expect("as before");
    assert!(!number(&compiler, 7) && !number(&compiler, 7));
}

#[test]
fn what_was_not_finished_goes_and_what_is_not_ours_stays() {
    let folder = place("unfinished");
    let Some((compiler, _)) = keeping(&folder, MEGABYTE, true) else { return };
    number(&compiler, 7);
    let add = |name: &str, old: Duration| {
        let path = folder.join(name);
        fs::write(&path, vec![0; 2 * MEGABYTE as usize]).expect("it can be written");
        set_age(&path, old);
        path
    };
    let gone = add(".unfinished-1-1", HOUR * 2);
    let stay = [
        add(".unfinished-1-2", HOUR / 2),
        add("triton", HOUR * 2),
        add(&format!("{}.o", "0".repeat(64)), HOUR * 2),
    ];
    let kept = files(&folder).into_iter().find(|file| file.extension().is_some_and(|end| end == "code"));
    let (second, _) = keeping(&folder, MEGABYTE, true).expect("as before");
    assert!(!number(&second, 8));
    assert!(!gone.exists() && stay.iter().chain(&kept).all(|path| path.exists()));
}
