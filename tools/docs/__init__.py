"""What makes, checks and runs the pages of the documentation."""

REPOSITORY = "https://github.com/regluon/regluon"
