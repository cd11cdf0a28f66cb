// eth_requestAccounts []: dapps send it to a wallet (EIP-1102). Cairn has no user to ask, so it returns the result of eth_accounts.
// Tested by src/rpc/methods/plain-answers.test.ts
import type { RpcMethod } from '../../operation.ts'
import { ethAccounts } from './eth_accounts.ts'

export const ethRequestAccounts: RpcMethod<null> = {
  ...ethAccounts,
  name: 'eth_requestAccounts',
}
