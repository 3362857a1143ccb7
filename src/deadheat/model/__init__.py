"""Records of what is asked, observed and found. They hold values and check themselves, without the rooms."""
