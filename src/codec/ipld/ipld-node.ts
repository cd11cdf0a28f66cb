// The data model that dag-cbor, dag-json and dag-pb blocks share, and the walk inside one block.
// Rule: https://ipld.io/docs/data-model/
// Tested by src/codec/ipld/ipld.test.ts
import { CID } from 'multiformats/cid'

/** Integers are bigint, floats are number. Do not modify lists and maps; maps have the order of the block. */
export type IpldNode =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | CID
  | readonly IpldNode[]
  | ReadonlyMap<string, IpldNode>

/** Maximum number of maps and lists in one block: a map of few bytes uses a thousand times as much memory. */
export const containersMax = 100_000

/** The member `segment` of a map or list; undefined if there is none. */
export function memberOf(node: IpldNode, segment: string): IpldNode | undefined {
  if (node instanceof Map) return (node as ReadonlyMap<string, IpldNode>).get(segment)
  if (!Array.isArray(node) || !/^(?:0|[1-9]\d{0,8})$/.test(segment)) return undefined
  return (node as readonly IpldNode[])[Number(segment)]
}

/** Every link in `root`, in order of occurrence. */
export function linksIn(root: IpldNode): readonly CID[] {
  const links: CID[] = []
  const open: IpldNode[] = [root]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node instanceof CID) links.push(node)
    else if (node instanceof Map) pushReversed(open, [...(node.values() as Iterable<IpldNode>)])
    else if (Array.isArray(node)) pushReversed(open, node as readonly IpldNode[])
  }
  return links
}

function pushReversed(open: IpldNode[], nodes: readonly IpldNode[]): void {
  for (let index = nodes.length - 1; index >= 0; index -= 1) {
    const node = nodes[index]
    if (typeof node === 'object' && node !== null) open.push(node)
  }
}
