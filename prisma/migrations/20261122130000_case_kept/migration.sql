-- A merchant can keep a surplus. PostgreSQL lets the new value be used only after this transaction, so it has its own migration.
-- AlterEnum
ALTER TYPE "CaseState" ADD VALUE 'kept';
