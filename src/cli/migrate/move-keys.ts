// Imports the keys of a list into an account. Leaves existing keys unchanged, so that the command can be repeated.
// Tested by test/cli/migrate-from.test.ts
import { AccountsRefusal } from '../../access/accounts/account-rules.ts'
import { visiblePart } from '../../access/accounts/api-key.ts'
import { type AdminAccess, ServerRefusal } from '../admin-access.ts'
import type { RefusedLine } from './csv-lines.ts'
import type { KeyList, ListedKey } from './key-list.ts'

export type MovedKey = {
  readonly line: number
  readonly name: string
  /** First characters of the key, for identification. */
  readonly prefix: string
  readonly state: 'import' | 'imported' | 'present'
  /** Created because the list has none; shown once. */
  readonly apiKeySecret?: string
}

export type MovedKeys = {
  readonly keys: readonly MovedKey[]
  readonly refused: readonly RefusedLine[]
}

/** `apply` false: dry run. `account`: ID, null if it does not exist yet. */
export async function moveKeys(
  admin: AdminAccess,
  { keys, refused }: KeyList,
  { account, apply }: { readonly account: string | null; readonly apply: boolean },
): Promise<MovedKeys> {
  const existingPrefixes = new Set((await admin.call('GET /keys')).keys.map(({ prefix }) => prefix))
  const moved: MovedKey[] = []
  const wrong: RefusedLine[] = [...refused]
  for (const one of keys) {
    const { line, name, key } = one
    const shown = { line, name, prefix: visiblePart(key) }
    // Cairn stores only a hash of the key. The first characters identify nearly all keys; the import itself identifies all.
    if (existingPrefixes.has(shown.prefix) && !apply) moved.push({ ...shown, state: 'present' })
    else if (account === null || !apply) moved.push({ ...shown, state: 'import' })
    else {
      try {
        const apiKeySecret = await importKey(admin, account, one)
        const secret = one.secret === null ? { apiKeySecret } : {}
        moved.push({ ...shown, state: 'imported', ...secret })
      } catch (thrown) {
        if (isTaken(thrown)) moved.push({ ...shown, state: 'present' })
        else if (isOfTheKey(thrown)) wrong.push({ line, reason: thrown.message })
        else throw thrown
      }
    }
  }
  return { keys: moved, refused: wrong.toSorted((one, other) => one.line - other.line) }
}

async function importKey(
  admin: AdminAccess,
  account: string,
  { name, key, secret }: ListedKey,
): Promise<string> {
  const created = await admin.call('POST /accounts/{account}/keys', {
    account,
    name,
    imported: { apiKey: key, ...(secret === null ? {} : { apiKeySecret: secret }) },
  })
  return created.apiKeySecret
}

function isTaken(thrown: unknown): boolean {
  if (thrown instanceof AccountsRefusal) return thrown.reason === 'key_taken'
  return thrown instanceof ServerRefusal && thrown.code === 'conflict'
}

/** True if the error concerns only this key. Others, such as a server that does not respond, concern all keys. */
function isOfTheKey(thrown: unknown): thrown is Error {
  if (thrown instanceof AccountsRefusal) return true
  return thrown instanceof ServerRefusal && thrown.code === 'bad_input'
}
