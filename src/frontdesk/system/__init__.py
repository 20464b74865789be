"""The machine that the program runs on: environment, files, signals of crashes, priorities."""
