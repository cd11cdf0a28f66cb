// Keys that a selection offers: the first ones of the account, and others by name or prefix, because an account may have thousands.
// Tested by test/browser/full.test.ts
import { call } from './api.ts'
import { keyName } from './key-name.ts'

type KeyOption = { readonly id: string; readonly title: string }

export type KeyOptions = {
  /** At most 100, the oldest first, and the wanted ones. */
  readonly options: readonly KeyOption[]
  /** Finds others by a part of the name or the start of the prefix; null: `options` are all. */
  readonly find: ((text: string) => Promise<readonly KeyOption[]>) | null
  /** Title of a key that is an option or was found; null: it was not. */
  titleOf(id: string): string | null
}

/** The API's limit of IDs in one list. */
const idsMax = 100
const optionsMax = 100
const keyIdForm = /^[0-9a-f-]{36}$/

/** `wanted`: IDs of keys to include; `''` and keys that do not exist are ignored. `active`: only keys that calls can use. */
export async function loadKeyOptions(
  account: string,
  { active, wanted = [] }: { readonly active: boolean; readonly wanted?: readonly string[] },
  signal: AbortSignal,
): Promise<KeyOptions> {
  const state = active ? ({ state: 'active' } as const) : {}
  const listed = async (query: { readonly search?: string; readonly ids?: string }) =>
    await call(
      'GET /accounts/{account}/keys',
      { account, ...state, ...query, limit: optionsMax },
      signal,
    )
  const ids = [...new Set(wanted)].filter((id) => id !== '').slice(0, idsMax)
  const [first, own] = await Promise.all([
    listed({}),
    ids.length === 0 ? { keys: [] } : listed({ ids: ids.join(',') }),
  ])
  const known = new Map<string, string>()
  const optionsOf = (keys: typeof first.keys): readonly KeyOption[] =>
    keys.map((key) => {
      const title = key.name === '' ? keyName(key) : `${key.name} (${key.prefix}…)`
      known.set(key.id, title)
      return { id: key.id, title }
    })
  const options = optionsOf(first.keys)
  const others = own.keys.filter(({ id }) => !known.has(id))
  return {
    options: [...options, ...optionsOf(others)],
    find:
      first.next === null
        ? null
        : async (text) => {
            const search = text.trim()
            const { keys } = await call('GET /accounts/{account}/keys', {
              account,
              ...state,
              ...(search === '' ? {} : { search }),
              limit: optionsMax,
            })
            return optionsOf(keys)
          },
    titleOf: (id) => known.get(id) ?? null,
  }
}

/** Names of keys by ID. Other values among `ids` are ignored. */
export async function loadKeyNames(
  account: string,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const wanted = [...new Set(ids)].filter((id) => keyIdForm.test(id)).slice(0, idsMax)
  if (wanted.length === 0) return new Map()
  const query = { account, ids: wanted.join(',') }
  const { keys } = await call('GET /accounts/{account}/keys', query, signal)
  return new Map(keys.map((key) => [key.id, keyName(key)]))
}
