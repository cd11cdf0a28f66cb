// IPNS records beyond this server: delegated routers and the DHT, as the network process offers them.
import type { IpnsName } from '../../codec/ipld/ipns-name.ts'

/** Each call has a time limit of its own. Records are not verified yet. */
export interface IpnsRouting {
  /** Null: all that answered have none. Throws if none answered. */
  getIpnsRecord(name: IpnsName, signal: AbortSignal): Promise<Uint8Array | null>
  /** Throws if no router and no node of the DHT took it. */
  putIpnsRecord(name: IpnsName, record: Uint8Array, signal: AbortSignal): Promise<void>
}
