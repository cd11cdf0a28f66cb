// The pin of a request about the IPFS network, which must be public.
// Tested by test/network/announced.test.ts
import { Fault } from '../../../base/fault.ts'
import type { ListedPin } from '../../../ipfs/pins/pin-list.ts'
import type { AdminContext } from '../../admin-operation.ts'

/** Throws `absent`, and `bad_input` if the pin is private, because routers and peers would learn its CID. */
export async function getPublicPin(
  account: string,
  cid: string,
  { accounts, pins }: Pick<AdminContext, 'accounts' | 'pins'>,
): Promise<ListedPin> {
  const { settings } = await accounts.getAccountById(account)
  const pin = await pins.find(account, cid)
  if (pin === null) {
    throw new Fault('absent', { detail: 'the account has not pinned this CID' })
  }
  if (settings.provide === 'none' || pin.provide === 'none') {
    throw new Fault('bad_input', { detail: 'cid: the pin is private' })
  }
  return pin
}
