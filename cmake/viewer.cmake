# The page of reports and views: Vite bundles viewer/ into one file, which becomes part of the library. `npm ci` runs only when the
# lock file has changed.
if(GOUGH_VIEWER)
  find_program(NODE NAMES node nodejs)
  find_program(NPM npm)
  if(NOT NODE OR NOT NPM)
    message(FATAL_ERROR "The report's page needs Node.js 18 and npm (Debian: nodejs, npm; tools/setup installs them). "
                        "With -DGOUGH_VIEWER=OFF gough is built without reports and views.")
  endif()
  set(viewer ${PROJECT_SOURCE_DIR}/viewer)
  set(installed ${viewer}/node_modules/.installed)
  set(page_dir ${PROJECT_BINARY_DIR}/viewer)
  set(page ${page_dir}/page.cpp)
  file(GLOB sources CONFIGURE_DEPENDS viewer/src/*)
  add_custom_command(
    OUTPUT ${installed}
    COMMAND ${NPM} ci --loglevel=error || (echo "npm ci failed: without a network, configure with -DGOUGH_VIEWER=OFF" && false)
    COMMAND ${CMAKE_COMMAND} -E touch ${installed}
    DEPENDS ${viewer}/package.json ${viewer}/package-lock.json ${viewer}/.npmrc
    WORKING_DIRECTORY ${viewer}
    COMMENT "Installing the report page's packages")
  add_custom_command(
    OUTPUT ${page}
    BYPRODUCTS ${page_dir}/report.html
    COMMAND ${CMAKE_COMMAND} -E env GOUGH_PAGE_DIR=${page_dir} ${NODE} node_modules/vite/bin/vite.js build
    DEPENDS ${installed} ${viewer}/index.html ${viewer}/vite.config.js ${sources}
    WORKING_DIRECTORY ${viewer}
    COMMENT "Bundling the report's page")
else()
  set(page ${PROJECT_SOURCE_DIR}/cmake/no_page.cpp)
endif()

add_library(gough_page OBJECT ${page})
target_compile_features(gough_page PRIVATE cxx_std_20)
target_include_directories(gough_page PRIVATE ${PROJECT_SOURCE_DIR}/src/io)
set_target_properties(gough_page PROPERTIES POSITION_INDEPENDENT_CODE ON)
