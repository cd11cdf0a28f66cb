// A document of its own to add a card on: the only one whose content policy lets Stripe in. The rest of the page stays
// outside; it is left by loading another document.
import { render } from 'preact'
import './style/tokens.css'
import './style/base.css'
import './style/shell.css'
import './style/parts.css'
import { applyTheme, keptTheme } from './app/theme.ts'
import { AddCard } from './card/add-card.tsx'

applyTheme(keptTheme())
const root = document.querySelector('#app')
const account = new URLSearchParams(location.search).get('account') ?? ''
if (root !== null) render(<AddCard account={account} />, root)
