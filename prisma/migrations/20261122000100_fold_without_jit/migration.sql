-- Servers before 18 think that a scan which is not wanted costs ten thousand million, and compile its plan: every second anew.
ALTER FUNCTION fold_list_counts(integer) SET jit = off;
