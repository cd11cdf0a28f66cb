// Permissions of the signed-in person in the chosen account. The API checks them again.
import { useSession } from './session.tsx'

export function useMay(role: 'owner' | 'operator'): boolean {
  const { account, isOperator } = useSession()
  if (isOperator) return true
  return role === 'owner' && account !== null && account.role !== 'member'
}
