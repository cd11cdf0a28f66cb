// eth_requestAccounts []: what a page asks of a wallet (EIP-1102). There is nobody to ask here, so it is
// eth_accounts by another name.
// Tested by src/rpc/methods/plain-answers.test.ts
import type { RpcOperation } from '../../operation.ts'
import { ethAccounts } from './eth_accounts.ts'

export const ethRequestAccounts: RpcOperation<null> = {
  ...ethAccounts,
  name: 'eth_requestAccounts',
}
