// The triggers of `storage-triggers.ts` in PL/pgSQL: the storage of accounts is exact within the transaction of each pin and lease,
// which also enforces the quota. Callers lock in one order: account, blocks by hash, root, the rest.
// Tested by src/db/postgres/migrate.test.ts
import { blocksAtOnce, countUncounted, quotaReached, requestSize } from '../storage-triggers.ts'

/** A plan made while the tables were empty would be slow later, so each call is planned separately. */
export const functionEnd = `LANGUAGE plpgsql SET plan_cache_mode = force_custom_plan`

export const storageFunctions: readonly string[] = [
  `CREATE FUNCTION claim_root(account text, claimed bigint) RETURNS void AS $$
  DECLARE own bigint;
  BEGIN
    INSERT INTO account_storage (account_id) VALUES (account) ON CONFLICT (account_id) DO NOTHING;
    SELECT id INTO own FROM account_storage WHERE account_id = account FOR UPDATE;
    INSERT INTO holding (storage, root, claims) VALUES (own, claimed, 1)
      ON CONFLICT (storage, root) DO UPDATE SET claims = holding.claims + 1;
  END $$ ${functionEnd}`,
  `CREATE FUNCTION release_root(account text, released bigint) RETURNS void AS $$
  DECLARE own bigint;
  BEGIN
    SELECT id INTO own FROM account_storage WHERE account_id = account FOR UPDATE;
    UPDATE holding SET claims = claims - 1 WHERE root = released AND storage = own;
    DELETE FROM holding WHERE root = released AND storage = own AND claims = 0;
  END $$ ${functionEnd}`,
  `CREATE FUNCTION root_added() RETURNS trigger AS $$
  BEGIN PERFORM claim_root(NEW.account_id, NEW.root); RETURN NULL; END $$ ${functionEnd}`,
  // The new root first, so that blocks in both remain charged.
  `CREATE FUNCTION root_moved() RETURNS trigger AS $$
  BEGIN
    PERFORM claim_root(NEW.account_id, NEW.root);
    IF OLD.root IS NOT NULL THEN PERFORM release_root(OLD.account_id, OLD.root); END IF;
    RETURN NULL;
  END $$ ${functionEnd}`,
  `CREATE FUNCTION root_removed() RETURNS trigger AS $$
  BEGIN PERFORM release_root(OLD.account_id, OLD.root); RETURN NULL; END $$ ${functionEnd}`,
  ...['pin', 'lease'].flatMap((table) => [
    `CREATE TRIGGER ${table}_added AFTER INSERT ON ${table} FOR EACH ROW WHEN (NEW.root IS NOT NULL)
      EXECUTE FUNCTION root_added()`,
    `CREATE TRIGGER ${table}_moved AFTER UPDATE OF root ON ${table} FOR EACH ROW
      WHEN (NEW.root IS NOT NULL AND NEW.root IS DISTINCT FROM OLD.root) EXECUTE FUNCTION root_moved()`,
    `CREATE TRIGGER ${table}_removed AFTER DELETE ON ${table} FOR EACH ROW WHEN (OLD.root IS NOT NULL)
      EXECUTE FUNCTION root_removed()`,
  ]),
  `CREATE FUNCTION holding_added() RETURNS trigger AS $$
  BEGIN
    INSERT INTO charge (block, storage, roots, size)
      SELECT closure.block, NEW.storage, 1, block.size FROM closure JOIN block ON block.id = closure.block
        WHERE closure.root = NEW.root ORDER BY closure.block
      ON CONFLICT (block, storage) DO UPDATE SET roots = charge.roots + 1;
    UPDATE account_storage SET blocks = account_storage.blocks + added.blocks, bytes = account_storage.bytes + added.bytes
      FROM (SELECT count(*) AS blocks, coalesce(sum(charge.size), 0) AS bytes
        FROM closure JOIN charge ON charge.block = closure.block AND charge.storage = NEW.storage
        WHERE closure.root = NEW.root AND charge.roots = 1) AS added
      WHERE id = NEW.storage;
    UPDATE root SET holders = holders + 1 WHERE id = NEW.root;
    RETURN NULL;
  END $$ ${functionEnd}`,
  `CREATE FUNCTION holding_removed() RETURNS trigger AS $$
  BEGIN
    IF (SELECT blocks FROM root WHERE id = OLD.root) > ${blocksAtOnce} THEN
      INSERT INTO releasing (storage, root, after) VALUES (OLD.storage, OLD.root, -1);
      RETURN NULL;
    END IF;
    UPDATE account_storage SET blocks = account_storage.blocks - gone.blocks, bytes = account_storage.bytes - gone.bytes
      FROM (SELECT count(*) AS blocks, coalesce(sum(charge.size), 0) AS bytes
        FROM closure JOIN charge ON charge.block = closure.block AND charge.storage = OLD.storage
        WHERE closure.root = OLD.root AND charge.roots = 1) AS gone
      WHERE id = OLD.storage;
    DELETE FROM charge WHERE storage = OLD.storage AND roots = 1
      AND block IN (SELECT block FROM closure WHERE root = OLD.root);
    UPDATE charge SET roots = roots - 1 WHERE storage = OLD.storage
      AND block IN (SELECT block FROM closure WHERE root = OLD.root);
    UPDATE root SET holders = holders - 1, hash = CASE holders WHEN 1 THEN NULL ELSE hash END WHERE id = OLD.root;
    RETURN NULL;
  END $$ ${functionEnd}`,
  `CREATE TRIGGER holding_added AFTER INSERT ON holding FOR EACH ROW EXECUTE FUNCTION holding_added()`,
  `CREATE TRIGGER holding_removed AFTER DELETE ON holding FOR EACH ROW EXECUTE FUNCTION holding_removed()`,
  // Accounts exempt from the check; rows exist within one transaction only.
  `CREATE TABLE storage_unjudged (account_id text COLLATE "C" PRIMARY KEY)`,
  `CREATE FUNCTION storage_quota() RETURNS trigger AS $$
  BEGIN
    IF NEW.bytes > (SELECT (settings::json ->> 'filesStoredBytes')::bigint FROM account WHERE id = NEW.account_id)
      AND NOT EXISTS (SELECT 1 FROM storage_unjudged WHERE account_id = NEW.account_id) THEN
      RAISE EXCEPTION '${quotaReached}';
    END IF;
    RETURN NULL;
  END $$ ${functionEnd}`,
  `CREATE TRIGGER storage_quota AFTER UPDATE OF bytes ON account_storage FOR EACH ROW
    WHEN (NEW.bytes > OLD.bytes) EXECUTE FUNCTION storage_quota()`,
]

/** Roots whose multihash is identity: their first byte is 0. */
const isInline = String.raw`root.hash >= '\x00'::bytea AND root.hash < '\x01'::bytea`

export const storageBesidesBlocks: readonly string[] = [
  `CREATE FUNCTION add_inline(own bigint, pinned bigint, times bigint) RETURNS void AS $$
    UPDATE account_storage SET bytes = account_storage.bytes + times * length(root.hash)
      FROM root WHERE account_storage.id = own AND root.id = pinned AND ${isInline} $$ LANGUAGE sql`,
  `CREATE FUNCTION inline_holding_added() RETURNS trigger AS $$
  BEGIN PERFORM add_inline(NEW.storage, NEW.root, 1); RETURN NULL; END $$ ${functionEnd}`,
  `CREATE FUNCTION inline_holding_removed() RETURNS trigger AS $$
  BEGIN PERFORM add_inline(OLD.storage, OLD.root, -1); RETURN OLD; END $$ ${functionEnd}`,
  `CREATE TRIGGER inline_holding_added AFTER INSERT ON holding FOR EACH ROW EXECUTE FUNCTION inline_holding_added()`,
  // A BEFORE trigger, because the other trigger may remove the name of the root.
  `CREATE TRIGGER inline_holding_removed BEFORE DELETE ON holding FOR EACH ROW
    EXECUTE FUNCTION inline_holding_removed()`,
  `CREATE FUNCTION pin_request_added() RETURNS trigger AS $$
  BEGIN
    INSERT INTO account_storage (account_id) VALUES (NEW.account_id) ON CONFLICT (account_id) DO NOTHING;
    UPDATE account_storage SET bytes = bytes + ${requestSize('NEW')} WHERE account_id = NEW.account_id;
    RETURN NULL;
  END $$ ${functionEnd}`,
  `CREATE FUNCTION pin_request_removed() RETURNS trigger AS $$
  BEGIN
    UPDATE account_storage SET bytes = bytes - ${requestSize('OLD')} WHERE account_id = OLD.account_id;
    RETURN NULL;
  END $$ ${functionEnd}`,
  `CREATE TRIGGER pin_request_added AFTER INSERT ON pin_request FOR EACH ROW EXECUTE FUNCTION pin_request_added()`,
  `CREATE TRIGGER pin_request_removed AFTER DELETE ON pin_request FOR EACH ROW
    EXECUTE FUNCTION pin_request_removed()`,
  ...countUncounted(isInline),
]
