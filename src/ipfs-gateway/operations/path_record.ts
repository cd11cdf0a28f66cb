// `/ipns/<name>` as `ipns-record`: the newest signed record, for clients that verify it by the name.
// Rule: https://specs.ipfs.tech/http-gateways/trustless-gateway/
// Tested by src/ipfs-gateway/path-names.test.ts
import { hash } from 'node:crypto'
import { Fault } from '../../base/fault.ts'
import { type IpnsName, ipnsNameOf } from '../../codec/ipld/ipns-name.ts'
import type { PathOperation } from '../path-operation.ts'

type RecordInput = { readonly name: IpnsName; readonly fileName: string | null }

export const pathRecord: PathOperation<RecordInput> = {
  name: 'ipns/record',
  recursive: false,
  ofName: true,
  parse({ root, mount, query }) {
    const name = mount === null ? null : ipnsNameOf(root.multihash.bytes)
    if (name === null) throw new Fault('bad_argument', { detail: 'the path is of no IPNS name' })
    return { name, fileName: query.get('filename') ?? null }
  },
  async run({ name, fileName }, { getRecord }) {
    const { bytes, ttlMs } = await getRecord(name)
    return {
      kind: 'content',
      tag: `"${hash('sha256', bytes, 'base64url').slice(0, 22)}"`,
      ttlMs,
      describe: async () => ({
        type: 'application/vnd.ipfs.ipns-record',
        size: BigInt(bytes.length),
        ranged: false,
        roots: [],
        disposition: 'attachment',
        fileName: fileName ?? `${name.text}.ipns-record`,
        policy: null,
        async *open() {
          yield bytes
        },
      }),
    }
  },
}
