// The triggers of `public-triggers.ts` in PL/pgSQL. Each locks the account's row of `account_storage` before it reads the account's
// setting, so that a concurrent pin and setting change take each other into account.
// Tested by src/ipfs/pins/public-blocks.test.ts
import { announcedBlocksMax } from '../public-triggers.ts'
import { functionEnd } from './storage-functions.ts'

const settingOf = (settings: string): string => `coalesce(${settings}::json ->> 'provide', 'none')`

/** The storage of a public pin, for the account with row `own` of `account_storage` and this setting. */
const placeOf = (own: string, setting: string, provide: string): string =>
  `CASE WHEN ${setting} = 'all' AND ${provide} = 'all' THEN -2 * ${own} - 1 ELSE -2 * ${own} END`

const pinnedWith = (provide: string): string =>
  `SELECT root FROM pin WHERE account_id = NEW.id AND root IS NOT NULL AND provide IN (${provide})`

const blockHashes = (root: string): string =>
  `SELECT block.hash FROM closure JOIN block ON block.id = closure.block WHERE closure.root = ${root}`

const tables: readonly string[] = [
  `ALTER TABLE pin ADD COLUMN provide text COLLATE "C" NOT NULL DEFAULT 'all'`,
  // See the comments of `db/public-triggers.ts`.
  `CREATE TABLE provide (multihash bytea PRIMARY KEY, roots bigint NOT NULL, parts bigint NOT NULL, due bigint NOT NULL,
     tried bigint NOT NULL)`,
  `CREATE INDEX provide_due ON provide (due)`,
  `CREATE INDEX provide_roots_due ON provide (due) WHERE roots > 0`,
]

export const announcedTimes: readonly string[] = [`ALTER TABLE provide ADD COLUMN announced bigint`]

const functions: readonly string[] = [
  `CREATE FUNCTION lock_storage(owner text) RETURNS bigint AS $$
  DECLARE own bigint;
  BEGIN
    INSERT INTO account_storage (account_id) VALUES (owner) ON CONFLICT (account_id) DO NOTHING;
    SELECT id INTO own FROM account_storage WHERE account_id = owner FOR UPDATE;
    RETURN own;
  END $$ ${functionEnd}`,
  // NULL: the pin is not public.
  `CREATE FUNCTION public_place(owner text, pinned bigint, provided text) RETURNS bigint AS $$
  DECLARE
    own bigint;
    setting text;
  BEGIN
    IF pinned IS NULL OR provided = 'none' THEN RETURN NULL; END IF;
    own := lock_storage(owner);
    SELECT ${settingOf('settings')} INTO setting FROM account WHERE id = owner;
    IF setting = 'none' THEN RETURN NULL; END IF;
    RETURN ${placeOf('own', 'setting', 'provided')};
  END $$ ${functionEnd}`,
  // The new root first, so that blocks in both remain public.
  `CREATE FUNCTION pin_published() RETURNS trigger AS $$
  DECLARE place bigint;
  BEGIN
    IF TG_OP <> 'DELETE' THEN
      place := public_place(NEW.account_id, NEW.root, NEW.provide);
      IF place IS NOT NULL THEN
        INSERT INTO holding (storage, root, claims) VALUES (place, NEW.root, 1)
          ON CONFLICT (storage, root) DO UPDATE SET claims = holding.claims + 1;
      END IF;
    END IF;
    IF TG_OP <> 'INSERT' THEN
      place := public_place(OLD.account_id, OLD.root, OLD.provide);
      IF place IS NOT NULL THEN
        UPDATE holding SET claims = claims - 1 WHERE storage = place AND root = OLD.root;
        DELETE FROM holding WHERE storage = place AND root = OLD.root AND claims = 0;
      END IF;
    END IF;
    RETURN NULL;
  END $$ ${functionEnd}`,
  `CREATE FUNCTION account_provides() RETURNS trigger AS $$
  DECLARE
    own bigint := lock_storage(NEW.id);
    setting text := ${settingOf('NEW.settings')};
  BEGIN
    INSERT INTO holding (storage, root, claims)
      SELECT ${placeOf('own', 'setting', 'provide')}, root, count(*) FROM pin
        WHERE account_id = NEW.id AND root IS NOT NULL AND provide <> 'none' AND setting <> 'none'
        GROUP BY 1, 2 ORDER BY 1, 2
      ON CONFLICT (storage, root) DO UPDATE SET claims = excluded.claims;
    DELETE FROM holding WHERE storage = -2 * own AND CASE setting WHEN 'none' THEN true
      WHEN 'all' THEN root NOT IN (${pinnedWith(`'roots'`)}) ELSE root NOT IN (${pinnedWith(`'roots', 'all'`)}) END;
    DELETE FROM holding WHERE storage = -2 * own - 1 AND CASE setting
      WHEN 'all' THEN root NOT IN (${pinnedWith(`'all'`)}) ELSE true END;
    RETURN NULL;
  END $$ ${functionEnd}`,
  // Both lock in the same order: the root, then rows of `provide` by multihash.
  `CREATE FUNCTION public_root_added() RETURNS trigger AS $$
  DECLARE
    name bytea;
    count bigint;
  BEGIN
    SELECT hash, blocks INTO name, count FROM root WHERE id = NEW.root FOR UPDATE;
    IF NEW.storage % 2 <> 0 AND count <= ${announcedBlocksMax} THEN
      INSERT INTO provide (multihash, roots, parts, due, tried)
        SELECT hash, 0, 1, CASE hash WHEN name THEN 0 ELSE 1 END, 0 FROM (${blockHashes('NEW.root')}) AS own
          WHERE hash >= '\\x01'::bytea ORDER BY hash
        ON CONFLICT (multihash) DO UPDATE SET parts = provide.parts + 1;
    END IF;
    INSERT INTO provide (multihash, roots, parts, due, tried)
      SELECT name, 1, 0, 0, 0 WHERE name >= '\\x01'::bytea
      ON CONFLICT (multihash) DO UPDATE SET roots = provide.roots + 1;
    RETURN NULL;
  END $$ ${functionEnd}`,
  // A BEFORE trigger, because the root still has its name and its blocks.
  `CREATE FUNCTION public_root_removed() RETURNS trigger AS $$
  DECLARE
    name bytea;
    count bigint;
  BEGIN
    SELECT hash, blocks INTO name, count FROM root WHERE id = OLD.root FOR UPDATE;
    IF OLD.storage % 2 <> 0 AND count <= ${announcedBlocksMax} THEN
      PERFORM 1 FROM provide WHERE multihash IN (${blockHashes('OLD.root')}) ORDER BY multihash FOR UPDATE;
      UPDATE provide SET parts = parts - 1 WHERE multihash IN (${blockHashes('OLD.root')});
    END IF;
    UPDATE provide SET roots = roots - 1 WHERE multihash = name;
    IF OLD.storage % 2 <> 0 AND count <= ${announcedBlocksMax} THEN
      DELETE FROM provide WHERE roots <= 0 AND parts <= 0 AND multihash IN (${blockHashes('OLD.root')});
    END IF;
    DELETE FROM provide WHERE roots <= 0 AND parts <= 0 AND multihash = name;
    RETURN OLD;
  END $$ ${functionEnd}`,
]

const triggers: readonly string[] = [
  `CREATE TRIGGER pin_published AFTER INSERT OR DELETE ON pin FOR EACH ROW EXECUTE FUNCTION pin_published()`,
  `CREATE TRIGGER pin_republished AFTER UPDATE OF root, provide ON pin FOR EACH ROW
    WHEN (NEW.root IS DISTINCT FROM OLD.root OR NEW.provide <> OLD.provide) EXECUTE FUNCTION pin_published()`,
  `CREATE TRIGGER account_provides AFTER UPDATE OF settings ON account FOR EACH ROW
    WHEN (${settingOf('NEW.settings')} <> ${settingOf('OLD.settings')}) EXECUTE FUNCTION account_provides()`,
  `CREATE TRIGGER public_root_added AFTER INSERT ON holding FOR EACH ROW WHEN (NEW.storage < 0)
    EXECUTE FUNCTION public_root_added()`,
  `CREATE TRIGGER public_root_removed BEFORE DELETE ON holding FOR EACH ROW WHEN (OLD.storage < 0)
    EXECUTE FUNCTION public_root_removed()`,
]

export const publicBlocks: readonly string[] = [
  ...tables,
  ...functions,
  ...triggers,
  // Keys had a setting that made the pins of their account public.
  `UPDATE account SET settings = jsonb_set(settings::jsonb, '{provide}', '"roots"')::text WHERE id IN (
     SELECT account_id FROM api_key WHERE revoked IS NULL
       AND (expires IS NULL OR expires > extract(epoch FROM now()) * 1000)
       AND settings::json ->> 'gatewayPublic' = 'true' AND coalesce(settings::json ->> 'files', 'true') = 'true')`,
  `UPDATE api_key SET settings = (settings::jsonb - 'gatewayPublic')::text WHERE settings::jsonb ? 'gatewayPublic'`,
]
