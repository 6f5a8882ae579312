magi_unit_tests(review DEPS magi-code_review)
