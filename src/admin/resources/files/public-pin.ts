// The pin of a request about the IPFS network, which must be public.
// Tested by test/network/announced.test.ts
import { Fault } from '../../../base/fault.ts'
import type { PinPage } from '../../../ipfs/pins/pin-list.ts'
import type { AdminContext } from '../../admin-operation.ts'

/** Throws `absent`, and `bad_input` if the pin is private, because routers and peers would learn its CID. */
export async function getPublicPin(
  account: string,
  cid: string,
  { accounts, pins }: Pick<AdminContext, 'accounts' | 'pins'>,
): Promise<PinPage['pins'][number]> {
  const { settings } = await accounts.getAccountById(account)
  const page = await pins.list(account, {
    from: null,
    search: cid,
    type: null,
    announcement: null,
    order: { by: 'created', down: true },
    // Names that contain the CID match too.
    limit: 200,
  })
  const pin = page?.pins.find((one) => one.cid === cid)
  if (pin === undefined) {
    throw new Fault('absent', { detail: 'the account has not pinned this CID' })
  }
  if (settings.provide === 'none' || pin.provide === 'none') {
    throw new Fault('bad_input', { detail: 'cid: the pin is private' })
  }
  return pin
}
