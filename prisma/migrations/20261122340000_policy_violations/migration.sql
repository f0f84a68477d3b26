-- Violations of the pages' Content-Security-Policy are counted by kind of page and directive (lib/api/policy-report.ts).
ALTER TABLE "security_counts" DROP CONSTRAINT "security_counts_sort";
ALTER TABLE "security_counts" ADD CONSTRAINT "security_counts_sort" CHECK ("sort" IN ('all', 'address', 'account', 'key', 'store', 'policy'));
