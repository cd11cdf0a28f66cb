// `/ipfs/<cid>[/path]` as `car`: the blocks that a client needs to verify the path and its target, depth first
// (https://specs.ipfs.tech/http-gateways/trustless-gateway/).
// Tested by src/ipfs-gateway/path-car.test.ts
import { hash } from 'node:crypto'
import type { CID } from 'multiformats/cid'
import { Fault } from '../../base/fault.ts'
import { writeCar } from '../../codec/ipld/car-writer.ts'
import type { ContentPath } from '../../ipfs/read/path.ts'
import type { EntityBytes, SelectedBlock, DagScope } from '../../ipfs/read/dag-scope.ts'
import type { PathOperation, PathRequest } from '../path-operation.ts'

type CarInput = {
  readonly path: ContentPath
  readonly selection: DagScope
  readonly fileName: string
}

export const pathCar: PathOperation<CarInput> = {
  name: 'ipfs/car',
  recursive: true,
  parse(request) {
    const { root, segments, query } = request
    const last = segments.at(-1)
    const stem = last === undefined ? root.toString() : `${root.toString()}_${last}`
    checkVariant(request)
    return {
      path: { root, segments, ipld: false },
      selection: readSelection(request),
      fileName: query.get('filename') ?? `${stem}.car`,
    }
  },
  async run({ path, selection, fileName }, { files, patience, checkAllowed, signal }) {
    const { root } = path
    return {
      kind: 'content',
      tag: `W/"${root.toString()}.car.${digestOf(path, selection)}"`,
      async describe() {
        const traced = await files.trace(path, patience, signal)
        for (const cid of traced.roots) checkAllowed(cid)
        // Reads the target of the path before headers are sent.
        await files.block(traced.cid, patience, signal)
        const duplicates = selection.duplicates ? 'y' : 'n'
        return {
          type: `application/vnd.ipld.car; version=1; order=dfs; dups=${duplicates}`,
          size: null,
          ranged: false,
          roots: traced.roots,
          disposition: 'attachment',
          fileName,
          policy: null,
          // The CAR's root is the block at the end of the path, so that tools that unpack the CAR find the file.
          open: () =>
            writeCar(
              [traced.cid],
              checkedBlocks(files.select(traced, selection, patience, signal), checkAllowed),
            ),
        }
      },
    }
  },
}

async function* checkedBlocks(
  blocks: AsyncIterable<SelectedBlock>,
  checkAllowed: (cid: CID) => void,
): AsyncGenerator<SelectedBlock> {
  for await (const one of blocks) {
    checkAllowed(one.cid)
    yield one
  }
}

function readSelection({ query, accepted }: PathRequest): DagScope {
  const scope = query.get('dag-scope') ?? 'all'
  if (scope !== 'block' && scope !== 'entity' && scope !== 'all')
    throw unsupported('dag-scope', scope, 'block, entity or all')
  const duplicates = query.get('car-dups') ?? accepted.get('dups') ?? 'n'
  if (duplicates !== 'y' && duplicates !== 'n') throw unsupported('car-dups', duplicates, 'y or n')
  const range = query.get('entity-bytes')
  if (range === undefined) return { scope, bytes: null, duplicates: duplicates === 'y' }
  // A byte range implies the scope `entity`, whatever scope was requested.
  return { scope: 'entity', bytes: parseEntityBytes(range), duplicates: duplicates === 'y' }
}

/** Blocks are always sent depth first, which also satisfies requests for any order. */
function checkVariant({ query, accepted }: PathRequest): void {
  const version = query.get('car-version') ?? accepted.get('version') ?? '1'
  if (version !== '1') throw unsupported('car-version', version, '1')
  const order = query.get('car-order') ?? accepted.get('order') ?? 'dfs'
  if (order !== 'dfs' && order !== 'unk') throw unsupported('car-order', order, 'dfs or unk')
}

/** `from:to`, in decimal digits with a sign; `to` may be `*`. Throws `bad_argument`. */
function parseEntityBytes(text: string): EntityBytes {
  const [, from, to] = /^(-?\d{1,19}):(-?\d{1,19}|\*)$/.exec(text) ?? []
  const expected = '<from>:<to> or <from>:*, in bytes'
  if (from === undefined || to === undefined) throw unsupported('entity-bytes', text, expected)
  const bytes = { from: BigInt(from), to: to === '*' ? null : BigInt(to) }
  const sameEnd = bytes.to !== null && bytes.from < 0n === bytes.to < 0n
  if (sameEnd && bytes.from > (bytes.to ?? 0n)) throw unsupported('entity-bytes', text, expected)
  return bytes
}

function digestOf(path: ContentPath, { scope, bytes, duplicates }: DagScope): string {
  const range = bytes === null ? null : [String(bytes.from), String(bytes.to)]
  const text = JSON.stringify([path.segments, scope, range, duplicates])
  return hash('sha256', text, 'hex').slice(0, 20)
}

function unsupported(name: string, value: string, expected: string): Fault {
  const shown = value.slice(0, 100)
  const detail = `value ${JSON.stringify(shown)} of parameter ${JSON.stringify(name)} is not supported by this server: expected ${expected}`
  return new Fault('bad_argument', { detail })
}
