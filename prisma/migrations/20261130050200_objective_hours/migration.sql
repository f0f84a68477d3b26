-- What counts for and against each service objective, by the hour (lib/installation/status/record-objectives).

CREATE TABLE "objective_hours" (
    "objective" TEXT NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "good" BIGINT NOT NULL,
    "bad" BIGINT NOT NULL,

    CONSTRAINT "objective_hours_pkey" PRIMARY KEY ("objective","hour")
);
