-- Which worker processes run, and which steps (lib/worker/processes/heartbeat). Several processes share the steps by WORKER_STEPS.
CREATE TABLE "worker_processes" (
  "id" UUID NOT NULL,
  "host" TEXT NOT NULL,
  "runs" TEXT[] NOT NULL,
  "knows" TEXT[] NOT NULL,
  "started_at" TIMESTAMPTZ(3) NOT NULL,
  "seen_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "worker_processes_pkey" PRIMARY KEY ("id")
);

-- Whose turn a step is that reads a network: one process at a time sends its requests (lib/worker/processes/turns).
CREATE TABLE "step_turns" (
  "step" TEXT NOT NULL,
  "holder" UUID NOT NULL,
  "held_until" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "step_turns_pkey" PRIMARY KEY ("step")
);
