-- A session whose balance differs is held until an operator explains it. One endpoint alone must not hold every session, so its word
-- has a state of its own. PostgreSQL allows the new value only after this transaction, so it has its own migration.
-- AlterEnum
ALTER TYPE "BalanceCheckState" ADD VALUE 'disputed';
