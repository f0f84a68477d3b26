-- Where the holder of a turn runs, so that a process that is started again on the same machine knows that its predecessor is gone.
ALTER TABLE "step_turns" ADD COLUMN "host" TEXT, ADD COLUMN "pid" INTEGER;
