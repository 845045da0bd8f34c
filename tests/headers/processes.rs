//! The command prints the same bytes in every process, wherever and in whatever language it runs.

use std::process::Command;

#[test]
fn twenty_processes_print_the_same() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let languages = ["C", "C.UTF-8", "de_DE.UTF-8", "tr_TR.UTF-8", "ja_JP.eucJP"];
    let zones = ["UTC", "Asia/Kathmandu", "America/St_Johns", "Pacific/Kiritimati"];
    let emit = |number: usize| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_oxysycl"));
        command
            .args(["emit", "-o", "-"])
            .current_dir(&folders[number % 2])
            .env("LANG", languages[number % 5])
            .env("LC_ALL", languages[number % 5])
            .env("TZ", zones[number % 4])
            .env("SOURCE_DATE_EPOCH", number.to_string());
        let output = command.output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap()
    };
    let first = emit(0);
    assert!(first.contains("RmsnormKernel") && first.contains("ScaleKernel"));
    for number in 1..20 {
        assert_eq!(emit(number), first);
    }
}
