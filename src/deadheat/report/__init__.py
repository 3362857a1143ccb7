"""Results in words and pictures: terminal, Markdown, CSV, the page. Nothing here runs or judges anything."""
