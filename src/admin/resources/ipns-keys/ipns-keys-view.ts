// Keys of IPNS names that Cairn stores for an account, for admin operations.
// Tested by test/admin/ipns-keys.test.ts
import { z } from 'zod'
import { encodePrivateKey } from '../../../codec/ipld/libp2p-key.ts'
import type { IpnsKeystore } from '../../../ipfs/names/ipns-keystore.ts'
import { Fault } from '../../../base/fault.ts'

/** `id`: the IPNS name, `k51…`. */
export const ipnsKey = z.object({ name: z.string(), id: z.string() })

/** `key`: in the format of Kubo's `key/import` (protobuf), base64. `pem`: PKCS #8. */
export const exportedIpnsKey = z.object({ id: z.string(), key: z.string(), pem: z.string() })

export interface IpnsKeysView {
  list(accountId: string): Promise<z.output<typeof ipnsKey>[]>
  /** Throws `absent`. */
  export(accountId: string, name: string): Promise<z.output<typeof exportedIpnsKey>>
}

/** Works also while the setting `ipns.keys` is false, so that keys can be exported. */
export function createIpnsKeysView(keys: Pick<IpnsKeystore, 'list' | 'export'>): IpnsKeysView {
  const list = async (accountId: string) =>
    (await keys.list(accountId)).map(({ name, id }) => ({ name, id: id.text }))
  return {
    list,
    async export(accountId, name) {
      const id = (await list(accountId)).find((one) => one.name === name)?.id
      if (id === undefined) throw new Fault('absent', { detail: `no IPNS key is named ${name}` })
      const key = await keys.export(accountId, name)
      return {
        id,
        key: Buffer.from(encodePrivateKey(key)).toString('base64'),
        pem: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
      }
    },
  }
}
