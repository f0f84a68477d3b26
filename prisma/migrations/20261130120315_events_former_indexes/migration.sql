-- The indexes that the former files replace.
DROP INDEX "events_store_id_environment_created_at_idx", "events_store_id_environment_written_in_id_idx",
  "events_store_id_environment_type_written_in_id_idx", "events_store_id_environment_type_created_at_id_idx";
