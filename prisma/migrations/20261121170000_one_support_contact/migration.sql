-- A store had two support contacts: any text of its own, and that of its look, which customers are shown as a link. The second
-- one stays. What can be a link becomes it where the look has none.
INSERT INTO "store_looks" ("store_id", "support_contact", "updated_at")
SELECT "id", btrim("support_contact"), now() FROM "stores"
 WHERE btrim("support_contact") ~ '^[^\s@"<>?&#%:/\\,;()[\]]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$'
    OR (btrim("support_contact") ~ '^https://[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*\.[A-Za-z][A-Za-z0-9-]*(:[0-9]{1,4})?([/?#]\S*)?$'
        AND "support_contact" !~* 'xn--')
ON CONFLICT ("store_id") DO UPDATE
   SET "support_contact" = coalesce("store_looks"."support_contact", excluded."support_contact");

-- What cannot be one, and what the look says otherwise, is kept with what the merchant wrote about the store.
UPDATE "stores" s SET "description" = concat_ws(' – ', s."description", btrim(s."support_contact"))
 WHERE btrim(s."support_contact") <> ''
   AND NOT EXISTS (SELECT FROM "store_looks" l WHERE l."store_id" = s."id" AND l."support_contact" = btrim(s."support_contact"));

-- The column stays for one release, unread: the former one still reads it while it is being replaced.
