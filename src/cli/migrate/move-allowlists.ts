// Adds the entries of a file to the allowlists of keys. Skips existing entries, so that the command can be repeated.
// Tested by test/cli/migrate-from.test.ts
import { AccountsRefusal } from '../../access/accounts/account-rules.ts'
import { visiblePart } from '../../access/accounts/api-key.ts'
import { type AdminAccess, ServerRefusal } from '../admin-access.ts'
import type { AllowlistFile, AllowlistName, ListedEntry, RefusedEntry } from './allowlist-file.ts'
import type { MovedKey } from './move-keys.ts'

export type MovedAllowlists = {
  /** Entries that were added, or would be in a dry run. */
  readonly added: number
  readonly present: number
  readonly keys: readonly {
    readonly name: string
    readonly prefix: string
    readonly added: readonly { readonly list: AllowlistName; readonly entry: string }[]
  }[]
  readonly refused: readonly RefusedEntry[]
}

type Target = {
  /** Null: the same run imports the key, if it is applied. */
  readonly id: string | null
  readonly account: string
  readonly name: string
  readonly prefix: string
  readonly lists: Readonly<Record<AllowlistName, readonly string[]>>
}

const noLists = {
  allowAddresses: [],
  allowMethods: [],
  allowOrigins: [],
  allowUserAgents: [],
  allowIps: [],
}

/** `imported`: the keys that this run imported. */
export async function moveAllowlists(
  admin: AdminAccess,
  { entries, refused }: AllowlistFile,
  { imported, apply }: { readonly imported: readonly MovedKey[]; readonly apply: boolean },
): Promise<MovedAllowlists> {
  const targets = await readTargets(admin, imported)
  const wrong: RefusedEntry[] = [...refused]
  const groups = new Map<Target, ListedEntry[]>()
  for (const one of entries) {
    const found = findTarget(targets, one.key)
    if (typeof found === 'string') wrong.push({ place: one.place, reason: found })
    else groups.set(found, [...(groups.get(found) ?? []), one])
  }
  let present = 0
  const keys: MovedAllowlists['keys'][number][] = []
  for (const [target, wanted] of groups) {
    const fresh = wanted.filter(
      ({ list, entry }, at) =>
        !target.lists[list].includes(entry) &&
        wanted.findIndex((one) => one.list === list && one.entry === entry) === at,
    )
    present += wanted.length - fresh.length
    if (fresh.length === 0) continue
    try {
      if (apply && target.id !== null) await change(admin, target, fresh)
      const added = fresh.map(({ list, entry }) => ({ list, entry }))
      keys.push({ name: target.name, prefix: target.prefix, added })
    } catch (thrown) {
      if (!(thrown instanceof AccountsRefusal || thrown instanceof ServerRefusal)) throw thrown
      wrong.push({ place: fresh[0]?.place ?? '', reason: thrown.message })
    }
  }
  const added = keys.reduce((sum, key) => sum + key.added.length, 0)
  return { added, present, keys, refused: wrong }
}

async function readTargets(
  admin: AdminAccess,
  imported: readonly MovedKey[],
): Promise<readonly Target[]> {
  const { keys } = await admin.call('GET /keys')
  const stored = keys
    .filter(({ revoked }) => revoked === null)
    .map(({ id, accountId, name, prefix, settings }) => ({
      id,
      account: accountId,
      name,
      prefix,
      lists: settings,
    }))
  const fresh = imported
    .filter(({ state }) => state === 'import')
    .map(({ name, prefix }) => ({ id: null, account: '', name, prefix, lists: noLists }))
  return [...stored, ...fresh]
}

/** Finds a key by ID, by name or by the key itself. Returns the reason if none or several match. */
function findTarget(targets: readonly Target[], key: string): Target | string {
  const prefix = visiblePart(key)
  const ways: readonly ((target: Target) => boolean)[] = [
    ({ id }) => id === key,
    ({ name }) => name === key,
    (target) => target.prefix === prefix && key.length > prefix.length,
  ]
  for (const matches of ways) {
    const found = targets.filter(matches)
    const [only] = found
    if (only !== undefined && found.length === 1) return only
    if (found.length > 1) return `${found.length} keys match: use the id of the key`
  }
  return 'no key of the server has this key, name or id'
}

async function change(
  admin: AdminAccess,
  { id, account, lists }: Target,
  fresh: readonly ListedEntry[],
): Promise<void> {
  const names = [...new Set(fresh.map(({ list }) => list))]
  const settings = Object.fromEntries(
    names.map((name) => [
      name,
      [...lists[name], ...fresh.filter(({ list }) => list === name).map(({ entry }) => entry)],
    ]),
  )
  await admin.call('PATCH /accounts/{account}/keys/{key}', { account, key: id ?? '', settings })
}
