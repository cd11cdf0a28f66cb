// Where one begins: what is served here.
import { PageHead } from '../ui/card.tsx'

export function StartPage() {
  return <PageHead title="Start" about="What is served here, and how to call it." />
}
