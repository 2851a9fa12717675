// No module: browsers load none from a file, and then this is all that runs.

if (location.protocol === "file:") {
  document
    .querySelector("main")
    ?.insertAdjacentHTML(
      "afterbegin",
      '<p class="fault" role="alert">Browsers run this page only from a web host, not from a file. To look at it here, run <code>python3 -m http.server</code> in its folder.</p>',
    );
}
