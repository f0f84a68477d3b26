-- Which tokens a store offers to customers of a country: the rules of its owner, as text (lib/platform/countries/rules.ts). Empty: all.
ALTER TABLE "stores" ADD COLUMN "country_rules" TEXT NOT NULL DEFAULT '';
