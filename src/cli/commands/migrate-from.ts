// `cairn migrate-from infura`: imports keys, allowlists and pins, and lists the URLs of a project that must change. Without --apply
// it only shows the changes. A repeated run skips what exists.
// Tested by test/cli/migrate-from.test.ts
import type { Command } from 'commander'
import { readFile, stat } from 'node:fs/promises'
import { describeErrno } from '../../base/describe-errno.ts'
import { addAdminOptions, type AdminOptions, openAdminAccess } from '../admin-access.ts'
import type { Context } from '../context.ts'
import { append, type CopiedPins, copyPins, readPinList } from '../import/pins.ts'
import { parseAllowlistFile } from '../migrate/allowlist-file.ts'
import { parseKeyList } from '../migrate/key-list.ts'
import { describeMigration, type Migration, showMigration } from '../migrate/migration.ts'
import { moveAllowlists } from '../migrate/move-allowlists.ts'
import { moveKeys } from '../migrate/move-keys.ts'
import { scanProject } from '../migrate/scan-project.ts'
import { accountNamed, oldestAccount } from '../named-account.ts'
import { FoundBad, print } from '../report.ts'
import { serverAccess, type ServerAccess, usualServer } from '../server-access.ts'
import { UsageError } from '../usage-error.ts'

type Options = AdminOptions & {
  readonly keys?: string
  readonly allowlists?: string
  readonly pins?: string
  readonly pinsFrom?: string
  readonly pinsFromHeader: readonly string[]
  readonly atOnce: string
  readonly project?: string
  readonly to?: string
  readonly account?: string
  readonly apply?: true
  readonly write?: true
}

const fileBytesMax = 16 * 1024 * 1024

export function defineMigrateFrom(command: Command, context: Context): void {
  addAdminOptions(
    command
      .command('infura')
      .description('import keys, allowlists and pins of Infura, and list the URLs to change'),
  )
    .option(
      '--keys <file>',
      'keys: one per line, or key,secret or name,key,secret; - reads standard input',
    )
    .option('--allowlists <file>', 'allowlists: JSON, or lines key,list,entry')
    .option('--pins <file>', 'pins: CIDs, one per line, or output of pin/ls')
    .option('--pins-from <url>', 'Kubo RPC or trustless gateway that supplies the blocks')
    .option(
      '--pins-from-header <header>',
      'header "name: value" for --pins-from, repeatable',
      append,
      [],
    )
    .option('--at-once <number>', 'number of parallel pins', '16')
    .option('--project <folder>', 'folder to search for URLs of hosted endpoints')
    .option('--to <url>', 'URL of Cairn in the project (URL of the server)')
    .option('--account <name>', 'account that owns the keys (the first account)')
    .option('--apply', 'import keys, allowlists and pins (only show what would be done)')
    .option('--write', 'change the files of the project (only show the changes)')
    .addHelpText(
      'after',
      `
Examples:
  cairn migrate-from infura --keys keys.csv                          show what would be imported
  cairn migrate-from infura --keys keys.csv --allowlists lists.csv --apply
  pbpaste | cairn migrate-from infura --keys - --apply
  cairn migrate-from infura --pins cids.txt --pins-from https://ipfs.example --apply
  cairn migrate-from infura --project ./app --to https://rpc.example.com
  cairn migrate-from infura --project ./app --to https://rpc.example.com --write

Without --apply and --write, nothing changes. Run the command again at any time: it skips keys, entries and pins that exist. If
a key has no secret, Cairn creates one and shows it once. Lists of allowlists: address, method, origin, user agent, ip. Pins
use the key in CAIRN_KEY and CAIRN_SECRET, or the first key of --keys that has a secret. The exit code is 1 if a line is
refused or a pin fails.`,
    )
    .action(async (options: Options) => {
      checkOptions(options)
      const done = await migrate(context, options)
      print(context, options.json, showMigration(done), describeMigration(done))
      if (!done.ok) throw new FoundBad()
    })
}

function checkOptions({ keys, allowlists, pins, project, write }: Options): void {
  const inputs = [keys, allowlists, pins]
  if ([...inputs, project].every((one) => one === undefined)) {
    throw new UsageError('nothing to migrate: add --keys, --allowlists, --pins or --project')
  }
  if (inputs.filter((one) => one === '-').length > 1) {
    throw new UsageError('only one of --keys, --allowlists and --pins can read standard input')
  }
  if (write === true && project === undefined) throw new UsageError('--write needs --project')
}

async function migrate(context: Context, options: Options): Promise<Migration> {
  const apply = options.apply === true
  const write = options.write === true
  // Read all input before the first change, so that a missing file changes nothing.
  const keyList = await readInput(context, options.keys, parseKeyList)
  const allowlistFile = await readInput(context, options.allowlists, parseAllowlistFile)
  const to = { url: await targetUrl(context, options) }
  const project =
    options.project === undefined ? null : await scanProject(options.project, to, { write })

  let keys: Migration['keys'] = null
  let allowlists: Migration['allowlists'] = null
  if (keyList !== null || allowlistFile !== null) {
    await using admin = await openAdminAccess(context, options, { make: apply })
    if (keyList !== null) {
      const account = await accountOf(admin, options)
      keys = await moveKeys(admin, keyList, { account, apply })
    }
    if (allowlistFile !== null) {
      const imported = keys?.keys ?? []
      allowlists = await moveAllowlists(admin, allowlistFile, { imported, apply })
    }
  }
  const firstKey = keyList?.keys.find(({ secret }) => secret !== null)
  const pins = options.pins === undefined ? null : await movePins(context, options, firstKey)
  const refused = [keys, allowlists].reduce((sum, part) => sum + (part?.refused.length ?? 0), 0)
  const ok = refused === 0 && (pins?.ok ?? true) && (project?.problems.length ?? 0) === 0
  return { ok, apply, write, keys, allowlists, pins, project }
}

/** Null: a dry run on a server without an account, which --apply would create. */
async function accountOf(
  admin: Parameters<typeof oldestAccount>[0],
  { account, apply }: Options,
): Promise<string | null> {
  if (account !== undefined) return (await accountNamed(admin, account)).id
  return apply === true ? (await oldestAccount(admin)).id : null
}

async function movePins(
  context: Context,
  options: Options,
  key: { readonly key: string; readonly secret: string | null } | undefined,
): Promise<CopiedPins> {
  const list = options.pins ?? '-'
  if (options.apply !== true) {
    const { wanted, wrong } = await readPinList(list)
    const value = { total: wanted.length, wrong: wrong.map(({ place }) => place) }
    const lines = [
      `${wanted.length} pins in the list.`,
      ...value.wrong.map((place) => `${place} is not a CID`),
    ]
    return { ok: wrong.length === 0, value, text: lines.join('\n') }
  }
  const server = await pinServer(context, options, key)
  return copyPins(context, {
    server,
    list,
    fromHeader: options.pinsFromHeader,
    atOnce: options.atOnce,
    ...(options.pinsFrom === undefined ? {} : { from: options.pinsFrom }),
  })
}

/** CAIRN_KEY and CAIRN_SECRET, else the first imported key. */
async function pinServer(
  context: Context,
  options: Options,
  key: { readonly key: string; readonly secret: string | null } | undefined,
): Promise<ServerAccess> {
  const isSet = (context.env['CAIRN_KEY'] ?? '') !== ''
  const own = isSet || key === undefined ? {} : { key: key.key, secret: key.secret ?? '' }
  return serverAccess(context, { ...options, ...own })
}

async function targetUrl(context: Context, options: Options): Promise<string> {
  const text = options.to ?? options.url ?? (await usualServer(context, options)).url
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new UsageError(`--to is "${text}", expected http://… or https://…`)
  }
  return text.replace(/\/+$/, '')
}

async function readInput<Result>(
  context: Context,
  path: string | undefined,
  parse: (text: string) => Result,
): Promise<Result | null> {
  if (path === undefined) return null
  if (path === '-') return parse(await context.readInput())
  try {
    const { size } = await stat(path)
    if (size > fileBytesMax) throw new Error(`larger than ${fileBytesMax} bytes`)
    return parse(await readFile(path, 'utf8'))
  } catch (cause) {
    throw new Error(`cannot read ${path}: ${describeErrno(cause)}`, { cause })
  }
}
