// What the signed-in person may do in the chosen account; the API judges it again.
import { useSession } from './session.tsx'

export function useMay(role: 'owner' | 'operator'): boolean {
  const { account, isOperator } = useSession()
  if (isOperator) return true
  return role === 'owner' && account !== null && account.role !== 'member'
}
