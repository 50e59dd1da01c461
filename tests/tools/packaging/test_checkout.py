import subprocess

from tools.packaging.checkout import commit_time, copy_checkout, is_clean


def git(folder, *words):
    identity = ["-c", "user.name=someone", "-c", "user.email=someone@x.test", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


def test_a_copy_has_what_git_knows(tmp_path):
    root, target = tmp_path / "root", tmp_path / "target"
    (root / "src").mkdir(parents=True)
    git(root, "init")
    for name in ("src/a.py", "gone.py", "new.py", "skipped.so", ".gitignore"):
        (root / name).write_text("*.so\n")
    git(root, "add", "src/a.py", "gone.py", ".gitignore")
    git(root, "commit", "-m", "first", "--date", "2026-01-01T00:00:00Z")
    assert not is_clean(root)
    (root / "gone.py").unlink()

    def copied(**settings):
        copy_checkout(root, target, **settings)
        return sorted(str(path.relative_to(target)) for path in target.rglob("*") if path.is_file())

    assert copied() == [".gitignore", "new.py", "src/a.py"]
    assert copied(only_tracked=True) == [".gitignore", "src/a.py"]
    git(root, "add", "-A")
    git(root, "commit", "-m", "second")
    assert is_clean(root)
    assert commit_time(root).isdecimal()
