// Which unlisted methods a network relays. Methods in namespaces that control the node are refused unless the operator allows them
// by name. The deny list overrides everything else.
// Tested by src/rpc/relay/upstream-operations.test.ts

/** Wire names; a name that ends in `*` is a prefix. `allow` null: every method outside the refused namespaces. */
export type RelayLists = {
  readonly allow: readonly string[] | null
  readonly deny: readonly string[]
}

/** They change or stop a node, use its keys, or set its clock. */
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

/** The form of the names of real methods. Cairn relays no others. */
const methodName = /^[A-Za-z][A-Za-z0-9_.]{0,99}$/

/** Decides about a method that no table of Cairn lists. */
export function mayRelay(lists: RelayLists, method: string): boolean {
  if (!methodName.test(method)) return false
  if (isDenied(lists, method)) return false
  if (lists.allow !== null) return lists.allow.some((name) => covers(name, method))
  return !nodeControl.some((name) => covers(name, method))
}

/** Ignores case, because some nodes do. */
function covers(listed: string, method: string): boolean {
  const [name, requested] = [listed.toLowerCase(), method.toLowerCase()]
  return name.endsWith('*') ? requested.startsWith(name.slice(0, -1)) : name === requested
}
