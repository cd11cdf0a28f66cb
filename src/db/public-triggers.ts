// Maintains the public blocks and their announcements with triggers in the transaction of each pin and each setting, so no writer
// can miss them. A pin that makes its blocks public holds its root a second time, under a negative storage: -2s for account_storage
// row s if only the root is announced, -2s-1 if all blocks are. The triggers of `storage-triggers.ts` charge its blocks to that
// storage like to any other.
// Tested by src/ipfs/pins/public-blocks.test.ts

/** A root with more blocks than this is announced by its root alone. */
export const announcedBlocksMax = 100_000

/** The setting of an account; none for damaged settings. */
const settingOf = (settings: string): string =>
  `coalesce(CASE WHEN json_valid(${settings}) THEN json_extract(${settings}, '$.provide') END, 'none')`

const settingOfAccount = (row: string): string =>
  `(SELECT ${settingOf('settings')} FROM account WHERE id = ${row}.account_id)`

/** Whether the pin makes its blocks public. */
const isPublic = (row: string): string =>
  `${row}.root IS NOT NULL AND ${row}.provide <> 'none' AND ${settingOfAccount(row)} <> 'none'`

/** The storage of a public pin, for an account with this setting and `s.id`. */
const placeOf = (setting: string, provide: string): string =>
  `CASE WHEN ${setting} = 'all' AND ${provide} = 'all' THEN -2 * s.id - 1 ELSE -2 * s.id END`

const placeOfPin = (row: string): string =>
  `(SELECT ${placeOf(settingOfAccount(row), `${row}.provide`)} FROM account_storage AS s WHERE s.account_id = ${row}.account_id)`

const makeStorage = (account: string): string =>
  `INSERT INTO account_storage (account_id) VALUES (${account}) ON CONFLICT (account_id) DO NOTHING;`

const publish = (row: string): string => `
  ${makeStorage(`${row}.account_id`)}
  INSERT INTO holding (storage, root, claims) SELECT ${placeOfPin(row)}, ${row}.root, 1 WHERE ${isPublic(row)}
    ON CONFLICT (storage, root) DO UPDATE SET claims = claims + 1;`
const withdraw = (row: string): string => `
  UPDATE holding SET claims = claims - 1
    WHERE ${isPublic(row)} AND root = ${row}.root AND storage = ${placeOfPin(row)};
  DELETE FROM holding
    WHERE ${isPublic(row)} AND root = ${row}.root AND storage = ${placeOfPin(row)} AND claims = 0;`

/** Rows of `provide` for the holding in `row`: its root, and with an odd storage all its blocks. */
const rootHash = (row: string): string => `(SELECT hash FROM root WHERE id = ${row}.root)`
const isWhole = (row: string): string =>
  `${row}.storage % 2 <> 0 AND (SELECT blocks FROM root WHERE id = ${row}.root) <= ${announcedBlocksMax}`
const blockHashes = (row: string): string =>
  `SELECT block.hash FROM closure CROSS JOIN block ON block.id = closure.block WHERE closure.root = ${row}.root`

const settingNow = settingOf('NEW.settings')
const ownStorage = '(SELECT id FROM account_storage WHERE account_id = NEW.id)'
/** Roots of the account's pins with one of these settings. */
const pinnedWith = (provide: string): string =>
  `SELECT root FROM pin WHERE account_id = NEW.id AND root IS NOT NULL AND provide IN (${provide})`

const provideTable: readonly string[] = [
  // `roots`: number of account roots of which it is the first block; `parts`: number of those of which it is any block. `due`: time
  // of the next announcement in milliseconds since 1970; 0: a new root, 1: a new block. `tried`: failures since the last success.
  `CREATE TABLE provide (multihash BLOB PRIMARY KEY, roots INTEGER NOT NULL, parts INTEGER NOT NULL,
     due INTEGER NOT NULL, tried INTEGER NOT NULL) WITHOUT ROWID`,
  `CREATE INDEX provide_due ON provide (due)`,
  `CREATE INDEX provide_roots_due ON provide (due) WHERE roots > 0`,
]

const publicTriggers: readonly string[] = [
  `CREATE TRIGGER pin_published AFTER INSERT ON pin WHEN ${isPublic('NEW')}
    BEGIN ${publish('NEW')} END`,
  // The new root first, so that blocks in both remain public.
  `CREATE TRIGGER pin_republished AFTER UPDATE OF root, provide ON pin
    WHEN (NEW.root IS NOT OLD.root OR NEW.provide <> OLD.provide) AND ${settingOfAccount('NEW')} <> 'none'
    BEGIN ${publish('NEW')} ${withdraw('OLD')} END`,
  `CREATE TRIGGER pin_withdrawn AFTER DELETE ON pin WHEN ${isPublic('OLD')}
    BEGIN ${withdraw('OLD')} END`,
  // The new holdings first, for the same reason.
  `CREATE TRIGGER account_provides AFTER UPDATE OF settings ON account
    WHEN ${settingNow} <> ${settingOf('OLD.settings')} BEGIN
    ${makeStorage('NEW.id')}
    INSERT INTO holding (storage, root, claims)
      SELECT ${placeOf(settingNow, 'pin.provide')} AS place, pin.root, count(*)
        FROM account_storage AS s CROSS JOIN pin ON pin.account_id = s.account_id
        WHERE s.account_id = NEW.id AND pin.root IS NOT NULL AND pin.provide <> 'none' AND ${settingNow} <> 'none'
        GROUP BY place, pin.root
      ON CONFLICT (storage, root) DO UPDATE SET claims = excluded.claims;
    DELETE FROM holding WHERE storage = -2 * ${ownStorage} AND CASE ${settingNow} WHEN 'none' THEN 1
      WHEN 'all' THEN root NOT IN (${pinnedWith(`'roots'`)}) ELSE root NOT IN (${pinnedWith(`'roots', 'all'`)}) END;
    DELETE FROM holding WHERE storage = -2 * ${ownStorage} - 1 AND CASE ${settingNow}
      WHEN 'all' THEN root NOT IN (${pinnedWith(`'all'`)}) ELSE 1 END;
  END`,
  // Multihashes from 01 on: 00 is the identity hash, which contains the content itself.
  `CREATE TRIGGER public_root_added AFTER INSERT ON holding WHEN NEW.storage < 0 BEGIN
    INSERT INTO provide (multihash, roots, parts, due, tried)
      SELECT hash, 1, 0, 0, 0 FROM root WHERE id = NEW.root AND hash >= x'01'
      ON CONFLICT (multihash) DO UPDATE SET roots = roots + 1;
    INSERT INTO provide (multihash, roots, parts, due, tried)
      SELECT hash, 0, 1, 1, 0 FROM (${blockHashes('NEW')}) WHERE ${isWhole('NEW')} AND hash >= x'01'
      ON CONFLICT (multihash) DO UPDATE SET parts = parts + 1;
  END`,
  // A BEFORE trigger, because the root still has its name and its blocks.
  `CREATE TRIGGER public_root_removed BEFORE DELETE ON holding WHEN OLD.storage < 0 BEGIN
    UPDATE provide SET roots = roots - 1 WHERE multihash = ${rootHash('OLD')};
    UPDATE provide SET parts = parts - 1 WHERE ${isWhole('OLD')} AND multihash IN (${blockHashes('OLD')});
    DELETE FROM provide WHERE roots <= 0 AND parts <= 0 AND multihash = ${rootHash('OLD')};
    DELETE FROM provide WHERE roots <= 0 AND parts <= 0 AND ${isWhole('OLD')} AND multihash IN (${blockHashes('OLD')});
  END`,
]

/** `announced`: time of the last announcement that at least one peer stored; null: none. */
export const announcedTimes: readonly string[] = [
  `ALTER TABLE provide ADD COLUMN announced INTEGER`,
]

/** Keys had a setting that made the pins of their account public. */
const keyIsOpen = `CASE WHEN json_valid(settings) THEN json_extract(settings, '$.gatewayPublic')
    AND coalesce(json_extract(settings, '$.files'), 1) ELSE 0 END`

export const publicBlocks: readonly string[] = [
  `ALTER TABLE pin ADD COLUMN provide TEXT NOT NULL DEFAULT 'all'`,
  ...provideTable,
  ...publicTriggers,
  `UPDATE account SET settings = json_set(settings, '$.provide', 'roots') WHERE json_valid(settings) AND id IN (
     SELECT account_id FROM api_key WHERE revoked IS NULL AND (expires IS NULL OR expires > unixepoch() * 1000)
       AND ${keyIsOpen})`,
  `UPDATE api_key SET settings = json_remove(settings, '$.gatewayPublic') WHERE json_valid(settings)`,
]
