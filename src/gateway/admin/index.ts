// All admin operations. Order is that of the OpenAPI document.
// Tested by test/admin.test.ts
import type { AdminOperation } from './admin-operation.ts'
import { addPublicKey } from './add-public-key.ts'
import { beginCard } from './begin-card.ts'
import { changeAccount } from './change-account.ts'
import { changeKey } from './change-key.ts'
import { createAccount } from './create-account.ts'
import { createKey } from './create-key.ts'
import { findKey } from './find-key.ts'
import { getAccount } from './get-account.ts'
import { getCard } from './get-card.ts'
import { getKey } from './get-key.ts'
import { listAccounts } from './list-accounts.ts'
import { listAllKeys } from './list-all-keys.ts'
import { listFiles } from './list-files.ts'
import { listKeys } from './list-keys.ts'
import { listPlans } from './list-plans.ts'
import { listPublicKeys } from './list-public-keys.ts'
import { getStatus } from './get-status.ts'
import { listStorage } from './list-storage.ts'
import { listUpstreams } from './list-upstreams.ts'
import { markCard } from './mark-card.ts'
import { refreshCard } from './refresh-card.ts'
import { removeCard } from './remove-card.ts'
import { removePublicKey } from './remove-public-key.ts'
import { revokeKey } from './revoke-key.ts'
import { rotateKey } from './rotate-key.ts'
import { rotateSecret } from './rotate-secret.ts'
import { clearRequests } from './clear-requests.ts'
import { getRequest } from './get-request.ts'
import { listRequests } from './list-requests.ts'
import { replayRequest } from './replay-request.ts'
import { watchRequests } from './watch-requests.ts'
import { tryKey } from './try-key.ts'

export const adminOperations = [
  getStatus,
  listUpstreams,
  listStorage,
  listAccounts,
  createAccount,
  getAccount,
  changeAccount,
  getCard,
  beginCard,
  refreshCard,
  removeCard,
  markCard,
  listFiles,
  listPlans,
  listAllKeys,
  findKey,
  listKeys,
  createKey,
  getKey,
  changeKey,
  rotateKey,
  rotateSecret,
  revokeKey,
  listPublicKeys,
  addPublicKey,
  removePublicKey,
  listRequests,
  watchRequests,
  getRequest,
  clearRequests,
  replayRequest,
  tryKey,
] as readonly AdminOperation[]
