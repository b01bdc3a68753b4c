// Shows results of the search with the words around what was found, also where the site is a folder
// of files: browsers do not let a file read others, so the pages come from pages.js.
if (location.protocol === "file:") {
  const read = window.fetch;
  window.fetch = (url, ...rest) => {
    const page = PAGES[new URL(url, location).pathname.split("/").pop()];
    return page === undefined ? read(url, ...rest) : Promise.resolve(new Response(page));
  };
}
