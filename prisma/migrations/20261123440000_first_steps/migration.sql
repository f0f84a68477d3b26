-- When the members of a store hid its list of first steps; null while the overview shows it (lib/stores/first-steps.ts).
ALTER TABLE stores ADD COLUMN first_steps_hidden_at timestamptz(3);
