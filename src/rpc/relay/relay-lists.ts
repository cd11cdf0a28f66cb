// Which unlisted methods a network relays. A namespace that drives the node itself is refused unless the operator
// names it; what the deny list names is refused whatever else says.
// Tested by src/rpc/relay/upstream-operations.test.ts

/** Wire names; one that ends in `*` is a prefix. `allow` null: everything that is not refused by namespace. */
export type RelayLists = {
  readonly allow: readonly string[] | null
  readonly deny: readonly string[]
}

/** They change or stop a node, hold its keys, or turn its clock (verification 4). */
const nodeControl = [
  'admin_*',
  'anvil_*',
  'clique_*',
  'debug_*',
  'engine_*',
  'evm_*',
  'hardhat_*',
  'les_*',
  'miner_*',
  'parity_*',
  'personal_*',
  'tenderly_*',
  'testing_*',
]

export function isDenied({ deny }: RelayLists, method: string): boolean {
  return deny.some((name) => covers(name, method))
}

/** What nodes call their methods: another name has something else in mind. */
const methodName = /^[A-Za-z][A-Za-z0-9_.]{0,99}$/

/** Of a method that no table of ours lists. */
export function mayRelay(lists: RelayLists, method: string): boolean {
  if (!methodName.test(method)) return false
  if (isDenied(lists, method)) return false
  if (lists.allow !== null) return lists.allow.some((name) => covers(name, method))
  return !nodeControl.some((name) => covers(name, method))
}

/** In letters of any case: some nodes find methods so. */
function covers(listed: string, method: string): boolean {
  const [name, asked] = [listed.toLowerCase(), method.toLowerCase()]
  return name.endsWith('*') ? asked.startsWith(name.slice(0, -1)) : name === asked
}
