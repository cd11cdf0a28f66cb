>> {"jsonrpc":"2.0","id":1,"method":"net_version"}
<< {"jsonrpc":"2.0","id":1,"result":"7353201"}
