# Where each installed file goes.
