// The tables of MFS, and the triggers that charge its blocks to the account: each row of `mfs_block` whose block is stored counts
// like a root with this single block. A change of a tree writes only the rows of changed nodes.
// Tested by src/ipfs/mfs/mfs.test.ts, src/db/postgres/storage-functions.test.ts

// `root`: the CID. `version`: incremented by each change, which states the version that it is based on. `links`: number of links in
// the tree to the block under this codec. `held`: 1 if the block was stored when the first link was created; then the links in the
// block count too.
const sqliteTables: readonly string[] = [
  `CREATE TABLE mfs (account_id TEXT PRIMARY KEY REFERENCES account (id), root BLOB NOT NULL,
     version INTEGER NOT NULL) WITHOUT ROWID`,
  `CREATE TABLE mfs_block (storage INTEGER NOT NULL, hash BLOB NOT NULL, codec INTEGER NOT NULL, links INTEGER NOT NULL,
     held INTEGER NOT NULL, PRIMARY KEY (storage, hash, codec)) WITHOUT ROWID`,
]

/** Condition for the row of `charge` of the block and account of a row of `mfs_block`. */
const chargeOf = (row: string): string =>
  `storage = ${row}.storage AND block = (SELECT id FROM block WHERE hash = ${row}.hash)`

const sqliteTriggers: readonly string[] = [
  `CREATE TRIGGER mfs_block_added AFTER INSERT ON mfs_block WHEN NEW.held = 1 BEGIN
    INSERT INTO charge (block, storage, roots, size)
      SELECT id, NEW.storage, 1, size FROM block WHERE hash = NEW.hash
      ON CONFLICT (block, storage) DO UPDATE SET roots = roots + 1;
    UPDATE account_storage SET (blocks, bytes) = (
      SELECT account_storage.blocks + count(*), account_storage.bytes + coalesce(sum(size), 0)
        FROM charge WHERE ${chargeOf('NEW')} AND roots = 1)
      WHERE id = NEW.storage;
  END`,
  `CREATE TRIGGER mfs_block_removed AFTER DELETE ON mfs_block WHEN OLD.held = 1 BEGIN
    UPDATE account_storage SET (blocks, bytes) = (
      SELECT account_storage.blocks - count(*), account_storage.bytes - coalesce(sum(size), 0)
        FROM charge WHERE ${chargeOf('OLD')} AND roots = 1)
      WHERE id = OLD.storage;
    DELETE FROM charge WHERE ${chargeOf('OLD')} AND roots = 1;
    UPDATE charge SET roots = roots - 1 WHERE ${chargeOf('OLD')};
  END`,
]

export const mfsTables: readonly string[] = [...sqliteTables, ...sqliteTriggers]

const postgresTables: readonly string[] = [
  `CREATE TABLE mfs (account_id text COLLATE "C" PRIMARY KEY REFERENCES account (id), root bytea NOT NULL,
     version bigint NOT NULL)`,
  `CREATE TABLE mfs_block (storage bigint NOT NULL, hash bytea NOT NULL, codec bigint NOT NULL, links bigint NOT NULL,
     held bigint NOT NULL, PRIMARY KEY (storage, hash, codec))`,
]

const functionEnd = `LANGUAGE plpgsql SET plan_cache_mode = force_custom_plan`

const postgresTriggers: readonly string[] = [
  `CREATE FUNCTION mfs_block_added() RETURNS trigger AS $$
  DECLARE bytes_of bigint; count_of bigint;
  BEGIN
    INSERT INTO charge (block, storage, roots, size)
      SELECT id, NEW.storage, 1, size FROM block WHERE hash = NEW.hash
      ON CONFLICT (block, storage) DO UPDATE SET roots = charge.roots + 1
      RETURNING charge.roots, charge.size INTO count_of, bytes_of;
    IF count_of = 1 THEN
      UPDATE account_storage SET blocks = blocks + 1, bytes = bytes + bytes_of WHERE id = NEW.storage;
    END IF;
    RETURN NULL;
  END $$ ${functionEnd}`,
  `CREATE FUNCTION mfs_block_removed() RETURNS trigger AS $$
  DECLARE bytes_of bigint;
  BEGIN
    DELETE FROM charge WHERE ${chargeOf('OLD')} AND roots = 1 RETURNING size INTO bytes_of;
    IF FOUND THEN
      UPDATE account_storage SET blocks = blocks - 1, bytes = bytes - bytes_of WHERE id = OLD.storage;
    ELSE
      UPDATE charge SET roots = roots - 1 WHERE ${chargeOf('OLD')};
    END IF;
    RETURN NULL;
  END $$ ${functionEnd}`,
  `CREATE TRIGGER mfs_block_added AFTER INSERT ON mfs_block FOR EACH ROW WHEN (NEW.held = 1)
    EXECUTE FUNCTION mfs_block_added()`,
  `CREATE TRIGGER mfs_block_removed AFTER DELETE ON mfs_block FOR EACH ROW WHEN (OLD.held = 1)
    EXECUTE FUNCTION mfs_block_removed()`,
]

export const postgresMfsTables: readonly string[] = [...postgresTables, ...postgresTriggers]
