-- The indexes that the former files replace. Texts of addresses are looked up in hash indexes; their uniqueness has indexes of its own. The
-- daily round of balance checks reads sessions in the order of their creation.
DROP INDEX "sessions_evm_address_key", "sessions_tron_address_key", "sessions_solana_address_key", "sessions_ended_of_store",
  "sessions_store_id_environment_created_at_id_idx", "sessions_store_id_environment_status_created_at_id_idx",
  "sessions_store_id_environment_currency_created_at_id_idx", "sessions_store_id_environment_amount_total_created_at_id_idx",
  "sessions_environment_created_at_id_idx", "sessions_environment_status_created_at_id_idx", "sessions_network_idx", "sessions_network_of_all";
