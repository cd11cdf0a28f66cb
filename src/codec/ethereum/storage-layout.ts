// The storage layout of a contract in the output of solc: slot and type of each variable.
// Source: Solidity documentation, "Layout of State Variables in Storage", JSON output.
// Tested by src/codec/ethereum/stored-value.test.ts

type StorageVariable = {
  readonly label: string
  readonly slot: bigint
  /** Bytes from the low end of the slot. */
  readonly offset: number
  /** A name in `types`. */
  readonly type: string
}

export type StorageType = {
  readonly encoding: 'inplace' | 'mapping' | 'dynamic_array' | 'bytes'
  /** Type in source notation: `mapping(address => uint256)`. */
  readonly label: string
  readonly bytes: number
  /** Of a mapping. */
  readonly key?: string
  readonly value?: string
  /** Of an array. */
  readonly base?: string
  /** Of a struct; slots are relative to the struct's. */
  readonly members?: readonly StorageVariable[]
}

export type StorageLayout = {
  readonly variables: readonly StorageVariable[]
  readonly types: ReadonlyMap<string, StorageType>
}

/** An unusable layout, path or stored value; `message` is a sentence for the user. */
export class StorageLayoutError extends Error {
  override readonly name = 'StorageLayoutError'
}

const rowsMax = 10_000
const encodings = new Set(['inplace', 'mapping', 'dynamic_array', 'bytes'])

/**
 * Accepts the `storageLayout` of solc, or an artifact of forge or hardhat that contains one. Throws StorageLayoutError for
 * anything else. `json`: parsed.
 */
export function parseStorageLayout(json: unknown): StorageLayout {
  const found = findLayout(json, 0)
  if (found === null) {
    throw new StorageLayoutError(
      'there is no storage layout in it: expected "storageLayout" with "storage" and "types" (solc --storage-layout, forge inspect <contract> storageLayout)',
    )
  }
  const types = new Map<string, StorageType>()
  // A contract without variables has no types.
  for (const [name, type] of Object.entries(found.types ?? {})) {
    if (types.size >= rowsMax) throw new StorageLayoutError(`more than ${rowsMax} types`)
    types.set(name, readType(name, type))
  }
  const variables = readVariables(found.storage, 'storage')
  const layout = { variables, types }
  for (const name of namesIn(layout)) {
    if (!types.has(name)) throw new StorageLayoutError(`the type ${name} is named and not there`)
  }
  return layout
}

/** The type with that name in a checked layout. */
export function typeOf({ types }: StorageLayout, name: string): StorageType {
  const type = types.get(name)
  if (type === undefined) throw new StorageLayoutError(`the type ${name} is named and not there`)
  return type
}

type Found = { readonly storage: readonly unknown[]; readonly types: object | null }

function findLayout(json: unknown, depth: number): Found | null {
  if (!isObject(json) || depth > 4) return null
  const { storage, types } = json
  if (Array.isArray(storage) && (types === null || isObject(types))) return { storage, types }
  // Hardhat's build output has several contracts, so the intended one is ambiguous.
  return findLayout(json['storageLayout'], depth + 1)
}

function readVariables(rows: unknown, where: string): readonly StorageVariable[] {
  if (!Array.isArray(rows) || rows.length > rowsMax) {
    throw new StorageLayoutError(`${where}: expected a list of at most ${rowsMax} variables`)
  }
  return rows.map((row: unknown) => {
    const { label, slot, offset, type } = isObject(row) ? row : {}
    const known =
      typeof label === 'string' &&
      typeof slot === 'string' &&
      /^\d{1,78}$/.test(slot) &&
      Number.isInteger(offset) &&
      typeof type === 'string'
    if (!known || Number(offset) < 0 || Number(offset) > 31) {
      throw new StorageLayoutError(`${where}: expected variables with label, slot, offset and type`)
    }
    return { label, slot: BigInt(slot), offset: Number(offset), type }
  })
}

function readType(name: string, type: unknown): StorageType {
  const { encoding, label, numberOfBytes, key, value, base, members } = isObject(type) ? type : {}
  const bytes = Number(numberOfBytes)
  if (!encodings.has(String(encoding)) || typeof label !== 'string' || !(bytes > 0)) {
    throw new StorageLayoutError(`${name}: expected a type with encoding, label and numberOfBytes`)
  }
  return {
    encoding: encoding as StorageType['encoding'],
    label,
    bytes,
    ...(typeof key === 'string' ? { key } : {}),
    ...(typeof value === 'string' ? { value } : {}),
    ...(typeof base === 'string' ? { base } : {}),
    ...(members === undefined ? {} : { members: readVariables(members, name) }),
  }
}

function namesIn({ variables, types }: StorageLayout): readonly string[] {
  const ofTypes = [...types.values()].flatMap(({ key, value, base, members = [] }) => [
    ...[key, value, base].filter((name) => name !== undefined),
    ...members.map(({ type }) => type),
  ])
  return [...variables.map(({ type }) => type), ...ofTypes]
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
