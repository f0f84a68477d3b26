-- The members of a store who lost a role. The mails about payout addresses go to them for a week (lib/payouts/addresses/mails).
CREATE INDEX CONCURRENTLY "audit_entries_member_changes" ON "audit_entries" ("store_id", "at")
  WHERE "action" IN ('member.remove', 'member.role');
