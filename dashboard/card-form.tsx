// Separate document for adding a card, the only one whose content policy allows Stripe. Leaving it loads the dashboard
// document again.
import { render } from 'preact'
import './style/tokens.css'
import './style/base.css'
import './style/shell.css'
import './style/parts.css'
import './style/forms.css'
import './style/tables.css'
import { applyTheme, storedTheme } from './app/theme.ts'
import { AddCard } from './card/add-card.tsx'

applyTheme(storedTheme())
const root = document.querySelector('#app')
const account = new URLSearchParams(location.search).get('account') ?? ''
if (root !== null) render(<AddCard account={account} />, root)
